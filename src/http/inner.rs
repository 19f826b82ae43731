//! [`Inner`]: a gate as it stands under one configuration.

use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use http::header::HeaderName;

use super::answer::{Answers, Refusal, RefusalKind};
use super::budgets::Budgets;
use super::client_ip::ClientIp;
use super::exceeded::{Counter, Exceeded};
use super::fields::{Fields, KeptPolicies, TimeProfile};
use super::gate::Checked;
use super::passage::Passage;
use super::resolver::{Resolution, Resolver, Wanted};
use super::ruling::Ruling;
use super::view::RequestView;
use crate::catalogue::Catalogue;
use crate::config::{Anonymous, Config, MissingHeader};
use crate::decision::{AcquireError, Outcome, Verdict};
use crate::limiter::{Limiter, Receipt, Receipts, StartError};

/// A gate as it stands under one configuration.
#[derive(Clone)]
pub(super) struct Inner<C: Catalogue> {
    pub(super) limiter: Limiter<C>,
    pub(super) name: String,
    pub(super) resolver: Resolver,
    /// One entry a class, in the catalogue's order.
    pub(super) anonymous: Vec<Anonymous>,
    pub(super) budgets: Budgets,
    pub(super) policies: KeptPolicies,
    pub(super) profile: TimeProfile,
    pub(super) request_id: HeaderName,
    pub(super) answers: Answers<C>,
    pub(super) counter: Counter,
}

/// What became of a request that was asked about.
///
/// Nothing but a clustered class waits, so every other request is answered without a future, through which an answer would be
/// copied again and again.
pub(crate) enum Asked<C: Catalogue> {
    /// There is an answer.
    Answered(Admission),
    /// It has to be waited for.
    Waiting(Question<C>),
}

/// A class that has yet to decide about a request. What tells whose bucket it is does not wait with it.
pub(crate) struct Question<C: Catalogue> {
    inner: Arc<Inner<C>>,
    class: C,
    key_kind: &'static str,
    receipt: Receipt,
}

/// What was decided, and what it took.
#[derive(Debug)]
pub(crate) struct Admission {
    pub(crate) checked: Checked,
    /// Empty for a refusal, which takes nothing.
    pub(crate) receipts: Receipts,
}

impl Admission {
    /// An admission without a limit.
    pub(crate) fn free() -> Self {
        Self { checked: Checked::Admitted(Fields::default()), receipts: Receipts::default() }
    }

    fn refused(response: Response<Bytes>) -> Self {
        Self { checked: Checked::Refused(Box::new(response)), receipts: Receipts::default() }
    }
}

impl<C: Catalogue> Question<C> {
    /// Waits for the answer.
    pub(crate) async fn answer(self, request: &RequestView<'_>) -> Admission {
        let Self { inner, class, key_kind, receipt } = self;
        let decided = inner.limiter.acquire_again(class, receipt).await;
        let decided = decided.map(|decision| *decision.verdict());
        inner.answer(class, key_kind, receipt, &decided, request)
    }
}

impl<C: Catalogue> Inner<C> {
    /// Takes what a configuration says to a gate. Its limits are the limiter's to take.
    pub(super) fn adopt(&mut self, config: &Config<C>) -> Result<(), StartError> {
        self.budgets = self.budgets.under(config, &self.limiter)?;
        self.resolver.client_ip = ClientIp::of(config);
        self.anonymous = config.classes.iter().map(|class| class.anonymous).collect();
        self.policies = KeptPolicies::of_classes(C::ALL.len());
        Ok(())
    }

    /// Asks a class about a request.
    pub(super) fn ask(
        self: &Arc<Self>,
        class: C,
        cost: u32,
        request: &RequestView<'_>,
    ) -> Asked<C> {
        let definition = class.definition();
        let wanted = Wanted {
            name: definition.name,
            kind: definition.key_kind,
            anonymous: self.anonymous.get(class.index()).copied().unwrap_or_default(),
            missing: MissingHeader::Shared,
        };
        let caller = self.resolver.caller(request);
        let limit = self.limiter.class(class);
        let limit = match self.resolver.tier(&caller) {
            Some(tier) => limit.tier(&tier),
            None => limit,
        };
        let resolution = self.resolver.resolve(wanted, request, &caller);
        let subject = match &resolution {
            Resolution::Bypass => return Asked::Answered(Admission::free()),
            Resolution::Subject(subject) => subject,
            // What is switched off or only watches refuses nobody, whoever it is.
            Resolution::Unresolved if !limit.binds() => return Asked::Answered(Admission::free()),
            Resolution::Unresolved => return Asked::Answered(self.unresolved(request)),
        };
        let Ok(limit) = limit.cost(cost.into()) else {
            // A declaration cannot say 0, and every other 32-bit cost is one.
            return Asked::Answered(self.unservable(definition.name, None, request));
        };
        let acquire = limit.acquire_of(&self.limiter, subject);
        let (receipt, key_kind) = (acquire.receipt(), subject.kind());
        match &acquire.at_once() {
            Some(decided) => {
                Asked::Answered(self.answer(class, key_kind, receipt, decided, request))
            }
            None => Asked::Waiting(Question { inner: Arc::clone(self), class, key_kind, receipt }),
        }
    }

    /// The answer of a class that has decided.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "what it returns would be copied on its way")]
    fn answer(
        &self,
        class: C,
        key_kind: &'static str,
        receipt: Receipt,
        decided: &Result<Verdict, AcquireError>,
        request: &RequestView<'_>,
    ) -> Admission {
        let name = class.definition().name;
        match decided {
            Ok(verdict) => {
                let ruling = Ruling { name, class: Some(class), key_kind, verdict };
                if !ruling.permitted() {
                    return self.conclude(&[ruling], [receipt], request);
                }
                // The same without a list, as nearly always.
                let receipts = if ruling.took() { Receipts::One(receipt) } else { Receipts::None };
                let fields = self.fields_of_class(&ruling, class);
                Admission { checked: Checked::Admitted(fields), receipts }
            }
            Err(error) => self.unservable(name, Some(*error), request),
        }
    }

    /// The admission or the refusal that follows from what the limits said; `receipts` are in the
    /// order of the rulings.
    pub(super) fn conclude(
        &self,
        rulings: &[Ruling<'_, C>],
        receipts: impl IntoIterator<Item = Receipt>,
        request: &RequestView<'_>,
    ) -> Admission {
        let Some(refused) = rulings.iter().find(|ruling| !ruling.permitted()) else {
            // A limit that is switched off, or that only watches, may have taken nothing.
            let taken = rulings.iter().zip(receipts).filter(|(ruling, _)| ruling.took());
            let receipts = taken.map(|(_, receipt)| receipt).collect();
            return Admission { checked: Checked::Admitted(self.fields(rulings)), receipts };
        };
        if refused.outcome() != Outcome::QuotaExceeded {
            let response = self.refuse(RefusalKind::BackendUnavailable, rulings, request);
            return Admission::refused(response);
        }
        self.counter.count(&Exceeded {
            plugin: &self.name,
            route: request.template().unwrap_or_default(),
            key_kind: refused.key_kind,
        });
        let mut response = self.refuse(RefusalKind::QuotaExceeded, rulings, request);
        self.fields(rulings).write(response.headers_mut());
        Admission::refused(response)
    }

    pub(super) fn unresolved(&self, request: &RequestView<'_>) -> Admission {
        Admission::refused(self.refuse(RefusalKind::CallerUnresolved, &[], request))
    }

    /// What can never succeed, or not any more: a mistake of the program, so somebody must hear it.
    pub(super) fn unservable(
        &self,
        limit: &str,
        error: Option<AcquireError>,
        request: &RequestView<'_>,
    ) -> Admission {
        let route = request.template().unwrap_or_default();
        let kind = match error {
            Some(AcquireError::Closed) => RefusalKind::BackendUnavailable,
            _ => RefusalKind::Unservable,
        };
        let error = error.as_ref().map(tracing::field::display);
        tracing::error!(limit, route, error, "a request cannot be limited and is refused");
        Admission::refused(self.refuse(kind, &[], request))
    }

    fn refuse(
        &self,
        kind: RefusalKind,
        rulings: &[Ruling<'_, C>],
        request: &RequestView<'_>,
    ) -> Response<Bytes> {
        Passage::refuse(request.extensions());
        let refusal = Refusal::new(kind, rulings, request.head(), &self.request_id);
        self.answers.answer(&refusal)
    }

    /// The fields of those limits that have numbers.
    pub(super) fn fields(&self, rulings: &[Ruling<'_, C>]) -> Fields {
        if let [ruling @ Ruling { class: Some(class), .. }] = rulings {
            return self.fields_of_class(ruling, *class);
        }
        Fields::new(self.profile, rulings.iter().filter_map(Ruling::member))
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "what it returns would be copied on its way")]
    fn fields_of_class(&self, ruling: &Ruling<'_, C>, class: C) -> Fields {
        match &ruling.member() {
            Some(member) => Fields::of_class(self.profile, class.index(), member, &self.policies),
            None => Fields::default(),
        }
    }
}
