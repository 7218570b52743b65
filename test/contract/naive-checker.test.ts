import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HatSpec, PublishSpec, RunSpec } from '../../src/core/run/run-spec.ts';
import type { FlowFinding } from '../../src/core/schema/finding.ts';
import { makeGate, makeHat, makeSpec } from '../../src/core/spec-fixtures.ts';
import { compileTopology } from '../../src/topology/routing/index.ts';
import { validateTopology } from '../../src/topology/rules/index.ts';

/**
 * The rules of seed 001 once more, in the simplest words and without a line of the product: a pattern is what a regular expression finds in a
 * small world of topics. `zz` is a word that no pattern has, so it stands for all others.
 */
const WORDS = ['a', 'bb', 'task', 'resume', 'zz'];
const SYSTEM = ['task.start', 'task.ready', 'task.resume', 'task.continue', 'error.cli', 'error.timeout', 'task.blocked'];
const WORLD = [
  ...new Set([
    ...[1, 2, 3].flatMap((length) => listTopics(length)),
    'a.a.a.a',
    'a.zz.zz.zz',
    'zz.zz.zz.zz',
    ...SYSTEM,
    ...[1, 2].flatMap((length) => listTopics(length).map((topic) => `human.${topic}`)),
    ...WORDS.map((word) => `${word}.blocked`),
    'LOOP_COMPLETE',
    'task.complete',
    'DONE',
  ]),
];

function listTopics(length: number): readonly string[] {
  return length === 0 ? [''] : listTopics(length - 1).flatMap((start) => WORDS.map((word) => (start === '' ? word : `${start}.${word}`)));
}

const MATCHES = new Map<string, ReadonlySet<string>>();

/** Every topic of the world that a topic or pattern matches. */
function matchesOf(pattern: string): ReadonlySet<string> {
  let known = MATCHES.get(pattern);
  if (known === undefined) {
    const parts = pattern.split('.').map((word, index, all) => (word !== '*' ? word : index === all.length - 1 ? '.+' : '[^.]+'));
    const form = new RegExp(`^${parts.join('\\.')}$`);
    known = new Set(WORLD.filter((topic) => form.test(topic)));
    MATCHES.set(pattern, known);
  }
  return known;
}

/** Larger is better. */
function rankOf(pattern: string): number {
  if (!pattern.includes('*')) return 1_000_000;
  if (pattern === '*') return -1;
  const words = pattern.split('.').filter((word) => word !== '*');
  return words.length * 1000 + words.join('').length;
}

/** Everybody whose trigger is the best that matches. */
function takersOf(hats: readonly HatSpec[], topic: string): readonly string[] {
  const claims = hats.flatMap((hat) =>
    hat.triggers.filter((trigger) => matchesOf(trigger).has(topic)).map((trigger) => ({ hat: hat.id, rank: rankOf(trigger) })),
  );
  const best = Math.max(...claims.map((claim) => claim.rank));
  return [...new Set(claims.filter((claim) => claim.rank === best).map((claim) => claim.hat))];
}

function takes(hat: HatSpec, topic: string): boolean {
  return hat.triggers.some((trigger) => matchesOf(trigger).has(topic));
}

interface Verdict {
  readonly entry: boolean;
  readonly pairs: readonly string[];
  readonly orphans: readonly string[];
  readonly lost: readonly string[];
  readonly recovery: readonly string[];
  readonly exit: boolean;
}

const NOTHING: Verdict = { entry: false, pairs: [], orphans: [], lost: [], recovery: [], exit: false };

function judge(spec: RunSpec): Verdict {
  const hats = spec.hats ?? [];
  if (hats.length === 0) return NOTHING;
  const firstOf = (topic: string) => hats.find((hat) => takersOf(hats, topic).includes(hat.id))?.id ?? null;
  const begins = ['task.start', 'task.ready', 'task.resume'];
  const isTeam =
    spec.coordinator === 'hats' ||
    (spec.coordinator === 'auto' && (spec.startingHat !== null || begins.some((topic) => firstOf(topic) !== null)));
  const pairs = spec.routing === 'fanout' ? [] : listPairs(hats);
  const planner = hats.some((hat) => hat.id === 'planner') ? 'planner' : null;
  const found = spec.recoveryHat ?? planner ?? firstOf('task.resume') ?? firstOf('task.start') ?? firstOf('task.ready') ?? spec.startingHat;
  // A hat without triggers has a finding of its own already.
  const unready = (id: string | null) =>
    hats.filter((hat) => hat.id === id && hat.triggers.length > 0 && !takes(hat, 'task.resume')).map((hat) => hat.id);
  if (!isTeam) return { ...NOTHING, pairs, recovery: unready(spec.recoveryHat) };

  const onlyReady = firstOf('task.start') === null && firstOf('task.ready') !== null;
  const start = spec.startingEvent ?? (onlyReady ? 'task.ready' : 'task.start');
  const entry = spec.startingHat ?? firstOf(start) ?? found ?? hats[0]?.id ?? '';
  const entries = [...begins, ...(spec.startingEvent === null ? [] : [spec.startingEvent])];
  const ends = (hat: HatSpec) =>
    hat.publishes.some(({ topic }) => matchesOf(topic).has(spec.promise) || matchesOf(topic).has('task.complete'));
  return {
    entry: spec.startingHat === null && entries.every((topic) => firstOf(topic) === null),
    pairs,
    orphans: listOrphans(spec, hats),
    lost: listLost(spec, hats, [entry, found ?? entry], start),
    recovery: hats.length < 2 ? [] : unready(found ?? entry),
    exit: hats.length > 1 && found === null && !hats.some(ends),
  };
}

function listPairs(hats: readonly HatSpec[]): readonly string[] {
  const pairs = WORLD.flatMap((topic) => {
    const takers = [...takersOf(hats, topic)].sort();
    return takers.flatMap((one, index) => takers.slice(index + 1).map((other) => `${one} ${other}`));
  });
  return [...new Set(pairs)].sort();
}

function listOrphans(spec: RunSpec, hats: readonly HatSpec[]): readonly string[] {
  const terminal = ['LOOP_COMPLETE', spec.promise, 'task.complete', ...spec.terminalEvents];
  const isTaken = (pattern: string) =>
    [...matchesOf(pattern)].some((topic) => terminal.includes(topic) || hats.some((hat) => takes(hat, topic)));
  return hats
    .flatMap((hat) =>
      hat.publishes.filter((entry) => entry.target === undefined && !isTaken(entry.topic)).map((entry) => `${hat.id} ${entry.topic}`),
    )
    .sort();
}

/** Round after round, until nobody is added. */
function listLost(spec: RunSpec, hats: readonly HatSpec[], given: readonly string[], start: string): readonly string[] {
  const receivers = (pattern: string): readonly string[] =>
    pattern.includes('*')
      ? hats.filter((hat) => [...matchesOf(pattern)].some((topic) => takes(hat, topic))).map((hat) => hat.id)
      : takersOf(hats, pattern);
  const blocked = spec.gates.flatMap((gate) => gate.on.map((topic) => `${topic.split('.')[0]}.blocked`));
  const roots = [start, ...SYSTEM, 'human.*', ...blocked].flatMap(receivers);
  const excused = hats.filter((hat) => hat.triggers.length === 0).map((hat) => hat.id);
  const reached = new Set([...given, ...roots, ...excused]);
  for (let before = -1; before !== reached.size; ) {
    before = reached.size;
    for (const hat of hats.filter((candidate) => reached.has(candidate.id))) {
      const next = hat.publishes.flatMap((entry) => (entry.target === undefined ? receivers(entry.topic) : [entry.target]));
      for (const id of [...next, ...hat.transitions]) reached.add(id);
    }
  }
  return hats
    .map((hat) => hat.id)
    .filter((id) => !reached.has(id))
    .sort();
}

/** What the product says, in the same form. */
function readFindings(findings: readonly FlowFinding[]): Verdict {
  const of = (code: string) => findings.filter((finding) => finding.code === code);
  const pairs = of('routing-ambiguous').flatMap(({ hats = [] }) => {
    const sorted = [...hats].sort();
    return sorted.flatMap((one, index) => sorted.slice(index + 1).map((other) => `${one} ${other}`));
  });
  return {
    entry: of('entry-missing').length > 0,
    pairs: [...new Set(pairs)].sort(),
    orphans: of('event-orphan')
      .map(({ hats, topics }) => `${hats?.[0]} ${topics?.[0]}`)
      .sort(),
    lost: of('hat-unreachable')
      .flatMap(({ hats }) => hats ?? [])
      .sort(),
    recovery: of('recovery-resume').flatMap(({ hats }) => hats ?? []),
    exit: of('exit-missing').length > 0,
  };
}

const word = fc.constantFrom('a', 'bb', 'task', 'resume');
const pattern = fc
  .array(fc.oneof({ weight: 3, arbitrary: word }, { weight: 2, arbitrary: fc.constant('*') }), { minLength: 1, maxLength: 3 })
  .map((words) => words.join('.'));
const topic = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('.'));
const special = fc.constantFrom('task.start', 'task.resume', 'task.ready', 'error.cli', 'human.a', 'a.blocked', '*.blocked');
const trigger = fc.oneof({ weight: 3, arbitrary: topic }, { weight: 2, arbitrary: pattern }, { weight: 2, arbitrary: special });
const ID = fc.constantFrom<string>('planner', 'h1', 'h2', 'h3');
const published: fc.Arbitrary<PublishSpec> = fc.oneof(
  { weight: 4, arbitrary: topic.map((text) => ({ topic: text })) },
  { weight: 2, arbitrary: pattern.map((text) => ({ topic: text })) },
  { weight: 1, arbitrary: fc.constantFrom('LOOP_COMPLETE', 'DONE', 'task.complete').map((text) => ({ topic: text })) },
  { weight: 1, arbitrary: fc.record({ topic, target: ID }) },
);

const collection = fc
  .record({
    ids: fc.uniqueArray(ID, { minLength: 1, maxLength: 4 }),
    triggers: fc.array(fc.uniqueArray(trigger, { maxLength: 3 }), { minLength: 4, maxLength: 4 }),
    publishes: fc.array(fc.uniqueArray(published, { maxLength: 3, selector: (entry) => entry.topic }), { minLength: 4, maxLength: 4 }),
    transitions: fc.array(fc.uniqueArray(ID, { maxLength: 1 }), { minLength: 4, maxLength: 4 }),
    coordinator: fc.constantFrom('hats' as const, 'hats' as const, 'auto' as const, 'ralph' as const),
    routing: fc.constantFrom('exclusive' as const, 'exclusive' as const, 'fanout' as const),
    promise: fc.constantFrom('LOOP_COMPLETE', 'DONE'),
    startingEvent: fc.option(topic, { freq: 4 }),
    startingIndex: fc.option(fc.nat(3), { freq: 4 }),
    recoveryIndex: fc.option(fc.nat(3), { freq: 4 }),
    terminalEvents: fc.uniqueArray(topic, { maxLength: 2 }),
    gates: fc.array(fc.constantFrom('a.bb', 'bb.a'), { maxLength: 1 }),
  })
  .map((drawn): RunSpec => {
    const { ids, triggers, publishes, transitions, startingIndex, recoveryIndex, gates, ...rest } = drawn;
    const known = (entry: PublishSpec) => entry.target === undefined || ids.includes(entry.target);
    const hats = ids.map((id, index) =>
      makeHat(id, triggers[index] ?? [], (publishes[index] ?? []).filter(known), {
        transitions: (transitions[index] ?? []).filter((other) => index === 0 && ids.includes(other)),
      }),
    );
    const pick = (index: number | null) => (index === null ? null : (ids[index] ?? null));
    return makeSpec({
      ...rest,
      hats,
      startingHat: pick(startingIndex),
      recoveryHat: pick(recoveryIndex),
      gates: gates.map((on) => makeGate([on])),
    });
  });

describe('an independent naive checker', () => {
  it('agrees with the rules on 10,000 random collections', () => {
    const seen = { entry: 0, pairs: 0, orphans: 0, lost: 0, recovery: 0, exit: 0, clean: 0 };
    fc.assert(
      fc.property(collection, (spec) => {
        const verdict = judge(spec);
        expect(readFindings(validateTopology(compileTopology(spec)))).toEqual(verdict);
        for (const key of ['entry', 'exit'] as const) seen[key] += verdict[key] ? 1 : 0;
        for (const key of ['pairs', 'orphans', 'lost', 'recovery'] as const) seen[key] += verdict[key].length > 0 ? 1 : 0;
        seen.clean += JSON.stringify(verdict) === JSON.stringify(NOTHING) ? 1 : 0;
      }),
      { numRuns: 10_000 },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50);
  }, 120_000);
});
