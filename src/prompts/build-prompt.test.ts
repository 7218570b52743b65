import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../core/property-fixtures.ts';
import type { Feedback } from '../core/run/feedback.ts';
import type { HatSpec, RunSpec } from '../core/run/run-spec.ts';
import { isPromiseLine } from '../core/signals/signal-lines.ts';
import { createTextSignalScanner } from '../core/signals/text-signals.ts';
import { makeHat } from '../core/spec-fixtures.ts';
import type { Json } from '../core/values/json.ts';
import type { Topology } from '../topology/routing/compile-topology.ts';
import { buildPrompt, planSections } from './build-prompt.ts';
import { SETTINGS, sampleEvent, sampleTopology, sampleTurn, TEAM } from './fixtures.ts';
import type { PromptOptions, PromptTurn } from './prompt-context.ts';

/** Words of our own headings, so that a promise is also one of these. */
const promises = fc.constantFrom(
  'LOOP_COMPLETE',
  'ALL DONE',
  'DONE',
  'OBJECTIVE',
  'RALPH',
  'SOLO MODE',
  'EVENTS',
  'GUARDRAILS',
  'YOUR HAT',
  'HAND OVER',
  'task.complete',
);
const topics = fc.constantFrom(
  'task.start',
  'task.resume',
  'build.task',
  'build.done',
  'review.*',
  '*',
  'deploy.done',
  'LOOP_COMPLETE',
  'DONE',
  'a.b.c',
);
/** Text that would like to be read as something else. */
const hostile = fc
  .array(
    fc.constantFrom(
      'word',
      ' ',
      '\n',
      '\r',
      '```',
      '~~~~',
      '# ',
      '- ',
      '|',
      '`',
      '**',
      '<event topic="build.done">',
      '</event>',
      'EVENT:build.done',
      'HAT_TRANSITION:a',
      'LOOP_COMPLETE',
      'DONE',
      'ALL DONE',
      '\u0000',
      '\ud800',
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));
const payloads: fc.Arbitrary<Json> = fc.oneof(hostile, fc.constant(null), fc.record({ text: hostile, count: fc.integer() }));

const hats: fc.Arbitrary<HatSpec> = fc
  .record({
    id: fc.oneof(fc.constantFrom('a', 'b', 'planner'), hostile),
    name: hostile,
    description: hostile,
    triggers: fc.array(topics, { maxLength: 3 }),
    publishes: fc.array(topics, { maxLength: 3 }),
    rest: hostile,
  })
  .map(({ id, name, description, triggers, publishes, rest }) =>
    makeHat(id, triggers, publishes, { name, description, instructions: rest === '' ? '' : `Orders of ${JSON.stringify(id)}: ${rest}` }),
  );

const topologies: fc.Arbitrary<Topology> = fc
  .record({
    objective: hostile,
    promise: promises,
    mode: fc.constantFrom(null, 'single' as const, 'multi' as const),
    coordinator: fc.constantFrom('auto' as const, 'ralph' as const, 'hats' as const),
    routing: fc.constantFrom('exclusive' as const, 'fanout' as const),
    eventSources: fc.subarray(['jsonl', 'text'] as const),
    terminalEvents: fc.subarray(['deploy.done', 'DONE']),
    requiredEvents: fc.subarray(['build.done', 'DONE']),
    hats: fc.option(fc.uniqueArray(hats, { maxLength: 4, selector: (hat) => hat.id }), { nil: null }),
    gates: fc.array(fc.record({ on: fc.array(topics), run: hostile, timeoutMs: fc.constant(1) }), { maxLength: 2 }),
    ralph: hostile.map((instructions) => ({ instructions, backends: ['claude'], timeoutMs: 1, idleTimeoutMs: 1 })),
  })
  .map((changes: Partial<RunSpec>) => sampleTopology(changes));

const feedback: fc.Arbitrary<Feedback> = fc.oneof(
  fc.record({ kind: fc.constant('refused' as const), topic: hostile, allowed: fc.array(topics) }),
  fc.record({ kind: fc.constant('promise-refused' as const), why: hostile }),
  fc.record({ kind: fc.constant('withdrawn' as const), topics: fc.array(topics) }),
  fc.record({ kind: fc.constant('malformed' as const), where: hostile, message: hostile }),
  fc.record({ run: hostile, tail: hostile, topic: topics }).map(
    ({ run, tail, topic }): Feedback => ({
      kind: 'gate-failed',
      topic,
      results: [{ gate: 0, command: run, passed: false, exitCode: 1, timedOut: false, durationMs: 1, outputTail: tail }],
    }),
  ),
);

const settings: fc.Arbitrary<PromptOptions> = fc
  .record({
    scratchpad: hostile,
    eventsFile: hostile,
    promptFile: fc.option(hostile),
    guardrails: fc.option(fc.array(hostile, { maxLength: 3 })),
  })
  .map((changes) => ({ ...SETTINGS, ...changes }));

interface Case {
  readonly topology: Topology;
  readonly turn: PromptTurn;
  readonly settings: PromptOptions;
}

const cases: fc.Arbitrary<Case> = topologies.chain((topology) =>
  fc
    .record({
      hat: fc.constantFrom('ralph', ...topology.hats.map((hat) => hat.id)),
      events: fc.array(
        fc
          .record({ topic: topics, payload: payloads, source: hostile })
          .map(({ topic, payload, source }) => sampleEvent(topic, payload, { source })),
        { maxLength: 3 },
      ),
      feedback: fc.array(feedback, { maxLength: 4 }),
      fallback: fc.constantFrom(null, 'empty-queue' as const, 'untaken' as const, 'exhausted' as const, 'refused-twice' as const),
      iteration: fc.integer({ min: 1, max: 9 }),
      maxIterations: fc.integer({ min: 1, max: 9 }),
      settings,
    })
    .map(({ settings: chosen, ...turn }) => ({ topology, turn, settings: chosen })),
);

describe('the laws of every prompt', () => {
  it('a backend that echoes its prompt neither completes the run nor publishes nor leaves a complaint', () => {
    fc.assert(
      fc.property(cases, ({ topology, turn, settings: chosen }) => {
        const scanner = createTextSignalScanner(topology.spec.promise);
        for (const line of buildPrompt(topology, turn, chosen).split('\n')) scanner.line(line);
        expect(scanner.finish()).toMatchObject({ signals: [], problems: [], promised: false });
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('no line of Ralph’s own words is the promise', () => {
    fc.assert(
      fc.property(cases, ({ topology, turn, settings: chosen }) => {
        const own = planSections(topology, turn, chosen).filter((part) => part.own);
        expect(own.flatMap((part) => part.text.split('\n')).filter((line) => isPromiseLine(line, topology.spec.promise))).toEqual([]);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('a hat’s prompt never shows what another hat is told, and Ralph’s shows none of it', () => {
    fc.assert(
      fc.property(cases, ({ topology, turn, settings: chosen }) => {
        const prompt = buildPrompt(topology, turn, chosen);
        const others = topology.hats.filter((hat) => hat.id !== turn.hat && hat.instructions.startsWith('Orders of '));
        for (const hat of others) expect(prompt).not.toContain(`Orders of ${JSON.stringify(hat.id)}:`);
      }),
    );
  });

  it('the sections joined are the prompt, the same every time, without control characters', () => {
    fc.assert(
      fc.property(cases, ({ topology, turn, settings: chosen }) => {
        const prompt = buildPrompt(topology, turn, chosen);
        expect(
          planSections(topology, turn, chosen)
            .map((part) => part.text)
            .join(''),
        ).toBe(prompt);
        expect(buildPrompt(topology, turn, chosen)).toBe(prompt);
        expect(prompt).not.toMatch(/[^\P{Cc}\n\t]|\p{Cs}/u);
      }),
    );
  });

  it('who may not end the run is never shown a configured promise by Ralph’s own words', () => {
    const topology = sampleTopology({
      promise: 'FINI',
      hats: [makeHat('planner', ['task.start', 'task.resume', 'b'], ['a']), makeHat('worker', ['a'], ['b'])],
    });
    for (const hat of ['worker', 'ralph']) expect(buildPrompt(topology, sampleTurn(hat), SETTINGS)).not.toContain('FINI');
    expect(buildPrompt(topology, sampleTurn('planner'), SETTINGS)).toContain('`FINI`');
  });

  it('names every hat of a team of a thousand', { timeout: 30_000 }, () => {
    const many = Array.from({ length: 1000 }, (_, index) => makeHat(`h${index}`, [`t${index}`], [`t${index + 1}`, 'x.*']));
    expect(buildPrompt(sampleTopology({ hats: many }), sampleTurn('ralph'), SETTINGS)).toContain('h998 -> t999 -> h999');
  });
});

describe('the context of a turn', () => {
  const prompts = (keepsContext: boolean): readonly string[] => [
    buildPrompt(sampleTopology({ hats: TEAM }), sampleTurn('builder', { keepsContext }), SETTINGS),
    buildPrompt(sampleTopology({ hats: TEAM }), sampleTurn('ralph', { keepsContext }), SETTINGS),
    buildPrompt(sampleTopology(), sampleTurn('ralph', { keepsContext }), SETTINGS),
    buildPrompt(sampleTopology({ mode: 'single' }), sampleTurn('default', { keepsContext }), SETTINGS),
  ];

  it('is called fresh where every turn begins anew', () => {
    for (const prompt of prompts(false)) expect(prompt).toMatch(/fresh context/i);
  });

  it('is not called fresh where the conversation goes on', () => {
    for (const prompt of prompts(true)) expect(prompt).not.toMatch(/fresh/i);
  });
});
