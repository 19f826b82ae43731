//! [`Budgets`]: limits without a class, for handlers, for hosts and for the edge.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use super::inner::{Admission, Inner};
use super::resolver::{Resolution, Wanted};
use super::ruling::Ruling;
use super::view::RequestView;
use crate::caller::{Identity, Subject};
use crate::catalogue::{Catalogue, KeyKind};
use crate::config::{Anonymous, Config, EdgeKey, EdgeRule, MissingHeader};
use crate::declaration::RouteBudget;
use crate::key::{KeySink, ToKey};
use crate::limiter::{Budget, Limiter, Source, StartError};
use crate::limits::Limits;
use crate::sync::Mutex;

/// The names of the host's defaults in the response fields.
const TENANT: &str = "default.tenant";
const CLIENT_IP: &str = "default.ip";

/// The budgets of a gate under one configuration, registered with its limiter.
#[derive(Clone, Default)]
pub(super) struct Budgets {
    tenant: Option<Budget>,
    client_ip: Option<Budget>,
    edge: Vec<(EdgeRule, Budget)>,
    registered: Arc<Registered>,
}

/// Every budget that the gate has ever had. One that a configuration takes away and another brings back
/// is the same, and what was spent of it stays spent.
#[derive(Default)]
struct Registered {
    configured: Mutex<HashMap<Source, Budget>>,
    /// Those of routes, as they turn up; as many as the program has.
    routes: RwLock<HashMap<RouteBudget, Budget>>,
}

/// One budget and the bucket of it that a request takes from.
struct Charge<'a> {
    name: &'a str,
    budget: Budget,
    subjects: Subjects<'a>,
}

/// One subject, or two that are only one key together.
struct Subjects<'a>(Subject<'a>, Option<Subject<'a>>);

impl Budgets {
    /// Those of another configuration; what both have is the same.
    pub(super) fn under<C: Catalogue>(
        &self,
        config: &Config<C>,
        limiter: &Limiter<C>,
    ) -> Result<Self, StartError> {
        let kept = &self.registered;
        let tenant = |limits| kept.configured(TENANT, limits, Source::Tenant, limiter);
        let client_ip = |limits| kept.configured(CLIENT_IP, limits, Source::ClientIp, limiter);
        let edge = |rule: &EdgeRule| {
            let source = Source::Edge(rule.name.clone());
            Ok((rule.clone(), kept.configured(&rule.name, rule.limits, source, limiter)?))
        };
        Ok(Self {
            tenant: config.default_tenant.map(tenant).transpose()?,
            client_ip: config.default_ip.map(client_ip).transpose()?,
            edge: config.edge.iter().map(edge).collect::<Result<_, _>>()?,
            registered: Arc::clone(kept),
        })
    }
}

impl Registered {
    fn configured<C: Catalogue>(
        &self,
        name: &str,
        limits: Limits,
        source: Source,
        limiter: &Limiter<C>,
    ) -> Result<Budget, StartError> {
        let mut configured = self.configured.lock();
        if let Some(budget) = configured.get(&source) {
            return Ok(*budget);
        }
        let budget = limiter.add_budget(name, limits, source.clone())?;
        configured.insert(source, budget);
        Ok(budget)
    }

    fn of_route<C: Catalogue>(
        &self,
        route: &RouteBudget,
        limiter: &Limiter<C>,
    ) -> Result<Budget, StartError> {
        let known = self.routes.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(budget) = known.get(route) {
            return Ok(*budget);
        }
        drop(known);
        let mut known = self.routes.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(budget) = known.get(route) {
            return Ok(*budget);
        }
        let budget = limiter.add_budget(route.name, route.limits, Source::Route)?;
        known.insert(*route, budget);
        Ok(budget)
    }
}

impl<C: Catalogue> Inner<C> {
    /// A route with a budget of its own.
    pub(super) fn check_route(&self, route: &RouteBudget, request: &RequestView<'_>) -> Admission {
        let Ok(budget) = self.budgets.registered.of_route(route, &self.limiter) else {
            return self.unservable(route.name, None, request);
        };
        let wanted = Wanted {
            name: route.name,
            kind: route.key_kind,
            anonymous: Anonymous::default(),
            missing: MissingHeader::default(),
        };
        let caller = self.resolver.caller(request);
        match self.resolver.resolve(wanted, request, &caller) {
            Resolution::Bypass => Admission::free(),
            Resolution::Subject(subject) => {
                let subjects = Subjects(subject, None);
                self.take(&[Charge { name: route.name, budget, subjects }], request)
            }
            Resolution::Unresolved if !self.limiter.has_budgets_enabled() => Admission::free(),
            Resolution::Unresolved => self.unresolved(request),
        }
    }

    /// A handler that has the host's default budgets: that of its client's address, and that of its
    /// tenant when it has one.
    pub(super) fn check_defaults(&self, request: &RequestView<'_>) -> Admission {
        let caller = self.resolver.caller(request);
        let mut charges = Vec::new();
        let tenant = caller.subject(KeyKind::Tenant);
        if let Some((budget, tenant)) = self.budgets.tenant.zip(tenant) {
            charges.push(Charge { name: TENANT, budget, subjects: Subjects(tenant, None) });
        }
        if let Some(budget) = self.budgets.client_ip {
            let subjects = Subjects(self.resolver.client(request), None);
            charges.push(Charge { name: CLIENT_IP, budget, subjects });
        }
        self.take(&charges, request)
    }

    /// The rules that every request meets before it is routed.
    pub(super) fn check_edge(&self, request: &RequestView<'_>) -> Admission {
        let rules = self.budgets.edge.iter().filter_map(|(rule, budget)| {
            let subjects = self.edge_subjects(rule, request)?;
            Some(Charge { name: &rule.name, budget: *budget, subjects })
        });
        self.take(&rules.collect::<Vec<_>>(), request)
    }

    /// The subjects of a rule, or nothing when it does not concern the request.
    fn edge_subjects<'a>(
        &self,
        rule: &'a EdgeRule,
        request: &'a RequestView<'_>,
    ) -> Option<Subjects<'a>> {
        let mut subjects = rule.keys.iter().map(|key| match key {
            EdgeKey::ClientIp => Some(self.resolver.client(request)),
            EdgeKey::Global => Some(Subject(Identity::Everybody)),
            EdgeKey::Header => {
                let name = rule.header.as_deref()?;
                match super::resolver::header(name, rule.missing, request) {
                    Resolution::Subject(subject) => Some(subject),
                    Resolution::Bypass | Resolution::Unresolved => None,
                }
            }
        });
        let first = subjects.next()??;
        match subjects.next() {
            None => Some(Subjects(first, None)),
            Some(second) => Some(Subjects(first, Some(second?))),
        }
    }

    /// Takes one token of each, or none of any.
    fn take(&self, charges: &[Charge<'_>], request: &RequestView<'_>) -> Admission {
        let budgets = charges.iter().map(|charge| (charge.budget, &charge.subjects));
        let verdicts = match self.limiter.acquire_budgets(budgets) {
            Ok(verdicts) => verdicts,
            Err(error) => {
                let name = charges.first().map_or("", |charge| charge.name);
                return self.unservable(name, Some(error), request);
            }
        };
        let rulings: Vec<_> = charges
            .iter()
            .zip(&verdicts)
            .map(|(charge, verdict)| Ruling {
                name: charge.name,
                class: None,
                key_kind: charge.subjects.kind(),
                verdict,
            })
            .collect();
        let receipt = |charge: &Charge<'_>| self.limiter.receipt(charge.budget, &charge.subjects);
        self.conclude(&rulings, charges.iter().map(receipt), request)
    }
}

impl Subjects<'_> {
    fn kind(&self) -> &'static str {
        match &self.1 {
            None => self.0.kind(),
            Some(_) => "composite",
        }
    }
}

impl ToKey for Subjects<'_> {
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        self.0.write_key(sink);
        if let Some(second) = &self.1 {
            second.write_key(sink);
        }
    }
}

impl fmt::Debug for Budgets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budgets").field("edge", &self.edge.len()).finish_non_exhaustive()
    }
}
