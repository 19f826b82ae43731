#!lua
-- One bucket, one decision: KEYS[1] is the bucket. Numbers are whole, and packed as doubles of eight bytes: to read and write
-- them as text would take longer than all the rest.
--
--   ARGV[1] tokens, period: so many tokens arrive every so many microseconds
--           capacity: the most tokens a bucket holds
--           unit: the period, or 1 when the tokens of a period arrive together at its end
--           slack: the milliseconds that a bucket is kept for longer than it takes to fill
--           most: takes so many tokens or none; 0 to look, negative to give back
--   ARGV[2] fresh: the milliseconds, as text, that a new bucket is kept for after a plain request; else empty
--   ARGV[3] for leases; a plain request is the shorter for not having it:
--           least: takes fewer than `most` too, but none unless so many are there
--           hold: 0, or half of the microseconds for which what is taken counts as held by a node
--           ends, since: so many tokens, taken at that time of this clock, are held no longer; 0 for none
--   ARGV[4] now: microseconds as text, in tests alone; without it the server's own clock
--
-- Answers with the bucket as it was stored when all of `most` was taken or given back, because that costs nothing more; else
-- with {granted, spent, part, now}. `spent` whole tokens and `part` units are gone after it. A unit is one `period`th of a
-- token under continuous refill, so nothing is ever rounded; under interval refill there are only whole tokens. A full
-- bucket and a missing one are the same.
--
-- Held tokens are spent, but may come back: a bucket refills no further than to what is held, or what comes back would
-- exceed the capacity by what was refilled meanwhile. They are counted in two groups by when they were taken, the later of
-- which takes in for `hold` and is void after twice that: so nothing that a node lost is held for ever.
--
-- Lua counts in doubles, which are exact for integers up to 2^53. With at most 10^12 tokens, a period of at most 365
-- days (below 2^45 microseconds), and ten tokens a microsecond, no number here exceeds that. The quotient of two such
-- numbers, rounded down, is exact too: the next whole number above a / b is (a + j) / b for some j >= 1, which is j / b
-- away, and a double moves by less than (a + j) / b / 2^53.
local LARGEST = 9007199254740991
local call, floor, bucket = redis.call, math.floor, KEYS[1]

local tokens, period, capacity, unit, slack, most = struct.unpack('<dddddd', ARGV[1])
local now = tonumber(ARGV[4])
if not now then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end

local stored
if ARGV[2] == '' then
  stored = call('GET', bucket)
else
  -- A new bucket is full, and nobody asks for more than that: written at once, if there is none.
  local value = struct.pack('<dddd', most, 0, unit, now)
  stored = call('SET', bucket, value, 'PX', ARGV[2], 'NX', 'GET')
  if not stored then
    return value
  end
end

local interval = unit ~= period
local least, hold, ends, since = most, 0, 0, 0
if ARGV[3] then
  least, hold, ends, since = struct.unpack('<dddd', ARGV[3])
end

-- The quotient and the rest of a * b / m, for a < m: schoolbook multiplication by the digits of b to base 128. The
-- largest intermediate value is below 255 * m, which is 2^53 for a period of 408 days.
local function scale(a, b, m)
  if b <= floor(LARGEST / m) then
    local product = a * b
    local quotient = floor(product / m)
    return quotient, product - quotient * m
  end
  local quotient, rest, place = 0, 0, 1
  while place * 128 <= b do
    place = place * 128
  end
  while place >= 1 do
    local digit = floor(b / place) % 128
    local product = rest * 128 + a * digit
    local carried = floor(product / m)
    quotient = quotient * 128 + carried
    rest = product - carried * m
    place = place / 128
  end
  return quotient, rest
end

local spent, part = 0, 0
-- What is held in the later and in the earlier group, and when the first of each was taken.
local later, later_from, earlier, earlier_from, span = 0, 0, 0, 0, hold
if stored then
  local was, at
  spent, part, was, at = struct.unpack('<dddd', stored)
  if #stored > 32 then
    later, later_from, earlier, earlier_from, span = struct.unpack('<ddddd', stored, 33)
    if now < later_from or now >= later_from + 2 * span then
      later = 0
    end
    if now < earlier_from or now >= earlier_from + 2 * span then
      earlier = 0
    end
  end
  local held = later + earlier
  if held > spent then
    held = spent
  end
  if was ~= unit then
    part = scale(part, unit, was)
  end

  -- Whole periods first, then what is left of one.
  local periods, tail = 0, 0
  local back = now < at
  if interval then
    periods = floor(now / period) - floor(at / period)
    if back then
      periods = -periods
    end
  else
    local elapsed = back and at - now or now - at
    periods = floor(elapsed / period)
    tail = elapsed - periods * period
  end
  local whole, rest = 0, 0
  if tail > 0 then
    whole, rest = scale(tail, tokens, period)
  end

  if back then
    -- The clock stepped back: the bucket stands as it did then, with what was taken since.
    if periods > floor(capacity / tokens) then
      spent = capacity + 1
    else
      spent, part = spent + periods * tokens + whole, part + rest
      if part >= unit then
        spent, part = spent + 1, part - unit
      end
    end
  elseif periods > floor(spent / tokens) then
    spent, part = held, 0
  else
    spent, part = spent - periods * tokens - whole, part - rest
    if part < 0 then
      spent, part = spent - 1, part + unit
    end
    if spent < held then
      spent, part = held, 0
    end
  end
end

-- A node that gives back may have come too late, and gets nothing then. One that takes more has spent the rest.
local ended = 0
if ends > 0 then
  if later > 0 and since >= later_from then
    ended = 1
  elseif earlier > 0 and since >= earlier_from then
    ended = 2
  elseif most <= 0 then
    least, most = 0, 0
  end
end

-- After a step back, or when the limits shrank, more can be gone than the bucket holds. That is written
-- also by a refusal, or waiting as told would not help.
local beyond = spent > capacity or (spent == capacity and part > 0)
if beyond then
  spent, part = capacity, 0
end

local left = capacity - spent
if part > 0 then
  left = left - 1
end
local granted = most <= left and most or left
if granted < least then
  granted = 0
end

if granted <= 0 and most > 0 then
  ended = 0
end
if ended == 1 then
  later = ends < later and later - ends or 0
elseif ended == 2 then
  earlier = ends < earlier and earlier - ends or 0
end
if hold > 0 and granted > 0 then
  if later == 0 then
    later, later_from = granted, now
  elseif now < later_from + hold then
    later = later + granted
  else
    later, later_from, earlier, earlier_from = granted, now, later, later_from
  end
  span = hold
end

if granted ~= 0 or beyond or ended > 0 then
  spent = spent + granted
  if spent < 0 then
    spent, part = 0, 0
  end
  -- The time to full, rounded up, and never more than 285 years.
  local periods = floor(spent / tokens)
  local micros = LARGEST - period
  if periods < floor(micros / period) then
    if interval then
      micros = (periods + 1) * period
    else
      micros = periods * period + scale(spent - periods * tokens, period, tokens) + floor(part / tokens) + 2
    end
  end
  local value = struct.pack('<dddd', spent, part, unit, now)
  if later + earlier > 0 then
    value = value .. struct.pack('<ddddd', later, later_from, earlier, earlier_from, span)
    slack = slack + floor(2 * span / 1000)
  end
  call('SET', bucket, value, 'PX', floor(micros / 1000) + 1 + slack)
  if granted == most and granted ~= 0 then
    return value
  end
end

return { granted, spent, part, now }
