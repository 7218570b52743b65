import fc from 'fast-check';
import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import type { EventSignal, Signal } from '../../core/events/event.ts';
import { SAMPLE_PANEL } from '../../core/run/panel-fixtures.ts';
import type { PanelMove } from '../../core/run/panel-state.ts';
import type { HatSpec, PublishSpec } from '../../core/run/run-spec.ts';
import type { TurnOutcome } from '../../core/run/turn.ts';
import { makeGate, makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { handOn, makeResult, type Play, PROMISE, say, write } from './decide-fixtures.ts';

/** The parts of a specification. */
export type SpecParts = NonNullable<Parameters<typeof makeSpec>[0]>;

const HAT_IDS = ['planner', 'builder', 'critic', 'constructor'];
const TOPICS = ['a', 'b.c', 'b.d.e', 'd', 'a.blocked', 'task.resume', 'task.done', 'error.cli'];
const PATTERNS = [...TOPICS, 'task.start', 'task.ready', 'b.*', '*', '*.c', 'task.*', 'task.blocked', 'legacy.*'];

const topic = fc.constantFrom(...TOPICS);
const target = fc.constantFrom(...HAT_IDS, 'ralph', 'nobody', 'default');
const publishes: fc.Arbitrary<PublishSpec | string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TOPICS, 'b.*', '*', 'LOOP_COMPLETE', 'task.complete') },
  fc.record({ topic: fc.constantFrom(...TOPICS, 'b.*'), target }),
);

const hatParts = fc.record({
  triggers: fc.subarray(PATTERNS, { maxLength: 4 }),
  publishes: fc.array(publishes, { maxLength: 4 }),
  defaultPublishes: fc.subarray(TOPICS, { maxLength: 2 }),
  transitions: fc.subarray(HAT_IDS),
  maxActivations: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
  backends: fc.constantFrom(['x'], ['x', 'y']),
  // Some hats are worn by a panel, some do not share.
  isAlone: fc.nat({ max: 5 }).map((chance) => chance === 5),
  // 0: nobody said how many of its turns run at once.
  parallel: fc.constantFrom(0, 0, 0, 1, 2, 3),
  hasPanel: fc.nat({ max: 5 }).map((chance) => chance === 5),
});

const hats: fc.Arbitrary<readonly HatSpec[] | null> = fc.option(
  fc.array(hatParts, { minLength: 1, maxLength: HAT_IDS.length }).map((all) =>
    all.map(({ triggers, publishes: list, hasPanel, isAlone, parallel, ...others }, index) => {
      const rest = parallel === 0 ? others : { ...others, takes: 'one' as const, parallel };
      const parts = isAlone ? { ...rest, alone: true as const } : rest;
      return makeHat(
        HAT_IDS[index] as string,
        triggers,
        list,
        hasPanel ? { ...parts, panel: SAMPLE_PANEL, backends: ['x', 'y', 'z'] } : parts,
      );
    }),
  ),
  { freq: 8, nil: null },
);

/** Any team under any settings, sensible or not: whatever compiles must be decided. */
const plainSpec: fc.Arbitrary<SpecParts> = fc.record({
  hats,
  coordinator: fc.constantFrom('auto' as const, 'ralph' as const, 'hats' as const),
  mode: fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, fc.constantFrom('single' as const, 'multi' as const)),
  routing: fc.constantFrom('exclusive' as const, 'fanout' as const),
  startingEvent: fc.option(topic, { freq: 2, nil: null }),
  startingHat: fc.option(fc.constantFrom(...HAT_IDS), { freq: 2, nil: null }),
  recoveryHat: fc.option(fc.constantFrom(...HAT_IDS), { freq: 2, nil: null }),
  terminalEvents: fc.subarray(TOPICS, { maxLength: 2 }),
  requiredEvents: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.subarray(TOPICS, { maxLength: 1 })),
  gates: fc
    .array(
      fc.tuple(
        fc.constantFrom(['a'], ['task.complete'], ['*'], ['b.*', 'LOOP_COMPLETE']),
        fc.constantFrom(
          {},
          {},
          { required: false },
          { hats: ['builder', 'ralph'] },
          { baseline: 'green' as const },
          { baseline: 'no_worse' as const },
        ),
      ),
      { maxLength: 2 },
    )
    .map((all) => all.map(([on, parts]) => makeGate(on, 'npm test', parts))),
  hooked: fc.constantFrom(
    { publish: [], complete: [] },
    { publish: [], complete: [] },
    { publish: ['ralph', ...HAT_IDS], complete: ['ralph', ...HAT_IDS] },
  ),
  loopDetection: fc.constantFrom({ repetition: 3, oscillation: 3 }, { repetition: 0, oscillation: 0 }),
  retry: fc.constantFrom({ maxAttempts: 1, baseMs: 10, maxMs: 100 }, { maxAttempts: 3, baseMs: 1000, maxMs: 5000 }),
  onLimit: fc.constantFrom('wait' as const, 'switch' as const, 'stop' as const),
  limits: fc.record({
    maxIterations: fc.integer({ min: 0, max: 25 }),
    maxRuntimeMs: fc.constantFrom(5000, 10_000_000),
    maxCostUsd: fc.option(fc.constant(3), { nil: null }),
    maxConsecutiveFailures: fc.integer({ min: 1, max: 4 }),
    checkpointInterval: fc.integer({ min: 0, max: 3 }),
    cooldownMs: fc.constantFrom(0, 0, 500),
  }),
});

/** The same, and for half of them hats that wait at the same time work at the same time. */
export const anySpec: fc.Arbitrary<SpecParts> = fc
  .tuple(plainSpec, fc.constantFrom(0, 0, 2, 3))
  .map(([spec, maxParallel]) => (maxParallel === 0 ? spec : { ...spec, routing: 'fanout' as const, maxParallel }));

const payload = fc.constantFrom('', 'x', { x: 1 }, '{"x":1}', null, 7);
const event: fc.Arbitrary<EventSignal> = fc
  .tuple(
    fc.constantFrom(write, say),
    fc.oneof({ weight: 9, arbitrary: topic }, fc.constantFrom('task.complete', 'LOOP_COMPLETE', 'unheard.of')),
    payload,
    fc.option(target, { freq: 2, nil: null }),
  )
  .map(([make, name, body, to]) => make(name, body, to ?? undefined));
const signals: fc.Arbitrary<readonly Signal[]> = fc.array(
  fc.oneof({ weight: 12, arbitrary: event }, fc.constant(PROMISE), fc.constantFrom(...HAT_IDS, 'nobody').map(handOn)),
  { maxLength: 4 },
);
const outcome: fc.Arbitrary<TurnOutcome> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<TurnOutcome>({ status: 'succeeded' }) },
  fc
    .constantFrom('agent', 'timeout', 'spawn', 'transient', 'limit')
    .map((kind): TurnOutcome => ({ status: 'failed', failure: { class: kind, message: kind } })),
  fc
    .integer({ min: -10_000, max: 100_000 })
    .map((offset): TurnOutcome => ({ status: 'failed', failure: { class: 'limit', message: 'limit', resetAt: 1_000_000 + offset } })),
);

/** What may happen next; each does nothing where it cannot. */
export type Move = (run: Play) => void;

const turnEnds: fc.Arbitrary<Move> = fc
  .record({
    signals,
    outcome,
    treeChanged: fc.constantFrom(true, false, null),
    producedOutput: fc.boolean(),
    costUsd: fc.constantFrom(null, 0.1, 1),
    which: fc.nat({ max: 5 }),
    isConflict: fc.nat({ max: 9 }).map((chance) => chance === 9),
  })
  .map(({ signals: said, costUsd, which, isConflict, ...report }) => (run) => {
    const { activations, usage } = run.state();
    const turn = activations[which % Math.max(1, activations.length)];
    if (turn === undefined) return;
    const conflict = isConflict && turn.copy !== undefined ? { conflict: { paths: ['a'], total: 1, kept: turn.copy } } : {};
    run.endOf(turn.hat, said, { ...report, ...conflict, usage: { ...usage, costUsd } });
  });
/** An agent that does nothing at all. */
const turnsIdle: fc.Arbitrary<Move> = fc.integer({ min: 1, max: 5 }).map((times) => (run) => {
  for (let count = 0; count < times && run.state().activations.length > 0; count += 1) run.end([], { treeChanged: false });
});
/** An agent that goes round in a circle. */
const turnsRepeat: fc.Arbitrary<Move> = fc.tuple(topic, fc.integer({ min: 1, max: 7 })).map(([name, times]) => (run) => {
  for (let count = 0; count < times && run.state().activations.length > 0; count += 1) run.end([write(name)]);
});
/** An answer to a turn that does not run, or runs no more. */
const turnEndsWrongly: fc.Arbitrary<Move> = fc
  .tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 1, max: 3 }), signals)
  .map(([iteration, attempt, said]) => (run) => {
    const open = run.state().activations[0];
    if (open?.iteration === iteration && open.attempt === attempt) return;
    const rest = {
      problems: [],
      exitCode: 0,
      durationMs: 0,
      producedOutput: true,
      usage: run.state().usage,
      sessionId: null,
      finalText: '',
      toolCalls: null,
      treeChanged: null,
      leftovers: 0,
    };
    run.post({ type: 'iteration-ended', iteration, attempt, outcome: { status: 'succeeded' }, signals: said, inboxOffset: 0, ...rest });
  });
/** Evidence that is about other files than those that are there, as often as about the same. */
const evidence = fc.option(
  fc.boolean().map((isFresh) => ({
    ...{ number: 1, treeBefore: 'a', tree: 'a', isFresh, isCached: false, attempts: 1, outputHash: '', log: null, isCut: false },
  })),
  { nil: null },
);
const gatesSpeak: fc.Arbitrary<Move> = fc
  .tuple(fc.boolean(), fc.boolean(), fc.nat({ max: 12 }), evidence)
  .map(([first, second, stray, shown]) => (run) => {
    const wait = run.state().gateWaits[0];
    const results = [{ ...makeResult(0, first), ...(shown !== null && { evidence: shown }) }, makeResult(1, second)];
    run.post({ type: 'gates-finished', request: wait?.request ?? stray, results: stray === 0 ? [] : results });
  });
const hookAnswer = fc.record({
  isDropped: fc.boolean(),
  reason: fc.constant('guard: no'),
  told: fc.constantFrom([], ['say more']),
  runs: fc.constant([]),
  changed: fc.constantFrom({}, { payload: 1 }, { topic: 'unheard.of' }, { target: 'nobody' }),
});
const hooksSpeak: fc.Arbitrary<Move> = fc
  .tuple(fc.array(hookAnswer, { maxLength: 4 }), fc.nat({ max: 12 }))
  .map(([answers, stray]) => (run) => {
    const wait = run.state().gateWaits.find(({ hooks }) => hooks !== undefined);
    run.post({ type: 'hooks-answered', request: wait?.request ?? stray, answers });
  });
const timerFires: fc.Arbitrary<Move> = fc.nat({ max: 20 }).map((stray) => (run) => {
  if (run.state().timers.some((timer) => timer.purpose !== 'runtime')) run.ring();
  else run.post({ type: 'timer-fired', timer: stray });
});
const peopleSpeak: fc.Arbitrary<Move> = fc.tuple(fc.array(event, { maxLength: 3 }), fc.boolean()).map(([said, isOpening]) => (run) => {
  const turn = run.state().activations[0];
  const opening = isOpening && turn !== undefined ? { opening: { iteration: turn.iteration, attempt: turn.attempt } } : {};
  run.post({ type: 'events-received', signals: said, problems: [], inboxOffset: 1, ...opening });
});
const peopleTell: fc.Arbitrary<Move> = fc
  .record({
    number: fc.nat({ max: 30 }),
    to: fc.option(fc.constantFrom(...HAT_IDS, 'ralph', 'nobody'), { nil: null }),
    when: fc.constantFrom('now' as const, 'now' as const, 'next' as const, 'interrupt' as const),
    isOpening: fc.boolean(),
  })
  .map(({ number, to, when, isOpening }) => (run) => {
    const turn = run.state().activations[0];
    const opening = isOpening && turn !== undefined ? { opening: { iteration: turn.iteration, attempt: turn.attempt } } : {};
    const sender = { pid: 1, user: 'ann', how: 'terminal' as const };
    run.post({ type: 'told', id: `c${number}`, text: `told ${number}`, to, when, sender, steeringOffset: 1, ...opening });
  });
const agentIsTold: fc.Arbitrary<Move> = fc.boolean().map((isKept) => (run) => {
  const turn = run.state().activations[0];
  const ids = run.all('tell-offer').map(({ tell }) => tell.id);
  run.post({ type: 'tell-given', iteration: turn?.iteration ?? 3, attempt: turn?.attempt ?? 1, ids, call: 2, isKept });
});
const agentAsks: fc.Arbitrary<Move> = fc.nat({ max: 2 }).map((number) => (run) => {
  const turn = run.state().activations[0];
  const question = { purpose: 'question' as const, text: 'Drop it?', choices: ['yes', 'no'], default: 'no' };
  const id = { iteration: turn?.iteration ?? 3, attempt: turn?.attempt ?? 1 };
  run.post({ type: 'asked', ...id, key: `k${number}`, ...question, dueAt: run.now() + 300 });
});
const personAnswers: fc.Arbitrary<Move> = fc
  .tuple(fc.nat({ max: 4 }), fc.constantFrom('yes', 'no', 'perhaps'))
  .map(([number, choice]) => (run) => {
    const question = run.state().questions[number]?.id ?? `q${number}`;
    const sender = { pid: 1, user: 'ann', how: 'terminal' as const };
    run.post({ type: 'answered', id: `a${run.state().counters.question}.${number}`, question, choice, sender, steeringOffset: 2 });
  });
const somebodyStops: fc.Arbitrary<Move> = fc
  .constantFrom('interrupt' as const, 'terminate' as const, 'after-iteration' as const, 'kill' as const)
  .map((how) => (run) => {
    run.post({ type: 'stop-requested', how, by: 'x' });
    if (run.state().stopping === null || how === 'after-iteration') return;
    for (const { hat } of run.state().activations) run.endOf(hat, [], { outcome: { status: 'interrupted' }, exitCode: null });
  });
const runResumes: fc.Arbitrary<Move> = fc
  .tuple(signals, fc.option(anySpec, { freq: 3, nil: null }), fc.boolean(), fc.option(fc.array(event, { maxLength: 2 }), { nil: null }))
  .map(([said, parts, raise, heard]) => (run) => {
    if (run.state().end?.reason === 'completed') return;
    const external = heard === null ? {} : { external: { signals: heard, problems: [], outsideOffset: 3 } };
    const spec = { ...(parts === null ? {} : { spec: makeSpec(parts) }), ...external };
    run.resume(raise ? { ...spec, limits: { maxIterations: run.state().counters.counted + 5, maxCostUsd: null } } : spec, said);
  });
const panelMove: fc.Arbitrary<PanelMove> = fc
  .record({
    kind: fc.nat({ max: 6 }),
    agent: fc.nat({ max: 3 }),
    round: fc.integer({ min: 1, max: 3 }),
    target: fc.constantFrom('agent1', 'agent2', 'x'),
  })
  .map(({ kind, agent, round, target }): PanelMove => {
    const at = { agent, round };
    if (kind < 2) return { kind: 'opened', numbers: [2, 3, 1], home: '1.1' };
    if (kind === 2) return { kind: 'answer-given', ...at, call: 'c', content: `answer ${agent}`, canonical: `answer ${agent}` };
    if (kind === 3) return { kind: 'vote-given', ...at, call: 'c', target, reason: '' };
    if (kind === 4) return { kind: 'time-up' };
    return { kind: 'round-ended', ...at, outcome: 'done', usage: UNKNOWN_USAGE, finalText: '' };
  });
const panelMoves: fc.Arbitrary<Move> = fc.array(panelMove, { minLength: 1, maxLength: 4 }).map((moves) => (run) => {
  const turn = run.state().activations[0];
  for (const move of moves) run.post({ type: 'panel-moved', iteration: turn?.iteration ?? 3, attempt: turn?.attempt ?? 1, move });
});
const smallThings: fc.Arbitrary<Move> = fc.constantFrom<Move[]>(
  (run) => run.pass(700),
  (run) => run.pass(-50),
  (run) =>
    void run.post({ type: 'checkpoint-finished', iteration: run.state().checkpointing ?? 3, commit: null, leftOut: ['a'], note: '' }),
  (run) =>
    void run.post({
      type: 'iteration-spawned',
      iteration: run.state().counters.iteration,
      attempt: 1,
      pid: 5,
      processStart: 'x',
      backend: 'x',
      argv: [],
      promptHash: '',
      promptTokens: 0,
    }),
  (run) => {
    const runtime = run.state().timers.find((timer) => timer.purpose === 'runtime');
    if (runtime !== undefined) run.post({ type: 'timer-fired', timer: runtime.timer });
  },
  (run) => void run.post({ type: 'environment-failed', what: 'storage', message: 'full' }),
);

/** A course of events: mostly what a sound world would answer, sometimes late, double, unknown, or after the end. */
export const anyMoves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.oneof(
    { weight: 17, arbitrary: turnEnds },
    { weight: 1, arbitrary: turnsIdle },
    { weight: 2, arbitrary: turnsRepeat },
    { weight: 5, arbitrary: gatesSpeak },
    { weight: 3, arbitrary: hooksSpeak },
    { weight: 5, arbitrary: timerFires },
    { weight: 3, arbitrary: runResumes },
    { weight: 2, arbitrary: peopleSpeak },
    { weight: 2, arbitrary: peopleTell },
    { weight: 1, arbitrary: agentIsTold },
    { weight: 1, arbitrary: agentAsks },
    { weight: 1, arbitrary: personAnswers },
    { weight: 2, arbitrary: panelMoves },
    { weight: 1, arbitrary: turnEndsWrongly },
    { weight: 1, arbitrary: somebodyStops },
    { weight: 1, arbitrary: smallThings },
  ),
  { minLength: 10, maxLength: 60 },
);
