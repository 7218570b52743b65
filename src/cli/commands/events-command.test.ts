import { describe, expect, it } from 'vitest';
import { performCommandLine } from '../command-line.ts';
import { createFakeApp, createFakeContext, sampleRecords } from '../fixtures.ts';

async function events(...args: readonly string[]) {
  const fake = createFakeContext({ app: createFakeApp() });
  const exitCode = await performCommandLine(['events', ...args], fake.context);
  return { exitCode, out: fake.out(), err: fake.err() };
}

const topicsOf = (out: string): readonly string[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).topic);

describe('ralph events', () => {
  it('shows a table with a heading', async () => {
    const { exitCode, out } = await events();
    const lines = out.trimEnd().split('\n');
    expect(exitCode).toBe(0);
    expect(lines[0]).toMatch(/^id +time +turn +topic +from +to +cause +payload$/);
    expect(lines[2]).toMatch(/^e2 +\d\d:\d\d:\d\d +1 +build\.task +planner +builder +e1 +Mend the parser\.$/);
    expect(lines[3]).toMatch(/^e3 .*builder\.scope_violation +builder +refused/);
  });

  it('prints one JSON object a line with the documented fields', async () => {
    const { out } = await events('--format', 'json', '--topic', 'build.task');
    expect(JSON.parse(out)).toMatchObject({
      v: 1,
      id: 'e2',
      iteration: 1,
      topic: 'build.task',
      source: 'planner',
      target: null,
      causes: ['e1'],
      payload: 'Mend the parser.',
      to: ['builder'],
    });
    expect(JSON.parse(out)).toMatchObject({ seq: expect.any(Number), ts: expect.any(Number) });
  });

  it.each([
    [
      ['--topic', 'build.*'],
      ['build.task', 'build.blocked'],
    ],
    [
      ['--hat', 'builder'],
      ['build.task', 'builder.scope_violation', 'build.blocked'],
    ],
    [
      ['--iteration', '2'],
      ['builder.scope_violation', 'build.blocked'],
    ],
    [['--last', '1'], ['build.blocked']],
    [
      ['--last', '99'],
      ['task.start', 'build.task', 'builder.scope_violation', 'build.blocked'],
    ],
    [
      ['--hat', 'builder', '--last', '2'],
      ['builder.scope_violation', 'build.blocked'],
    ],
  ])('%j selects %j', async (args, topics) => {
    expect(topicsOf((await events(...args, '--format', 'json')).out)).toEqual(topics);
  });

  it.each([[['--last', '0']], [['--iteration', 'x']], [['--topic', 'build*']], [['--graph', '--follow']], [['--format', 'dot']]])(
    'refuses %j',
    async (args) => {
      expect(await events(...args)).toMatchObject({ exitCode: 2, out: '' });
    },
  );

  it('draws which event followed from which', async () => {
    expect((await events('--graph')).out.split('\n').map((line) => line.replace(/: .*/, ''))).toEqual([
      'e1 task.start  system → planner',
      '↳ e2 build.task  planner in turn 1 → builder',
      '├─ e3 builder.scope_violation  builder in turn 2, refused',
      '└─ e4 build.blocked  builder in turn 2 → planner',
      '',
    ]);
  });

  it('draws what is asked for with all that it followed from', async () => {
    expect(topicsOf((await events('--graph', '--topic', 'build.blocked', '--format', 'json')).out)).toEqual([
      'task.start',
      'build.task',
      'build.blocked',
    ]);
  });

  it('writes the graph for programs, for Mermaid and for Graphviz', async () => {
    expect(JSON.parse((await events('--graph', '--last', '1', '--format', 'json')).out.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      v: 1,
      id: 'e4',
      topic: 'build.blocked',
      source: 'builder',
      iteration: 2,
      causes: ['e2'],
    });
    expect((await events('--graph', '--format', 'mermaid')).out).toContain('flowchart TD\n  e1["e1 task.start (system)"]');
    expect((await events('--graph', '--format', 'mermaid')).out).toContain('  e2 --> e4\n');
    expect((await events('--graph', '--format', 'dot')).out).toContain('  e2 -> e4;\n}');
  });

  it('begins a follow-up with the last rows, then shows what comes', async () => {
    const old = sampleRecords();
    const later = {
      kind: 'effect',
      seq: 99,
      at: 5,
      effect: {
        type: 'event-publish',
        how: 'trigger',
        to: ['planner'],
        event: { id: 'e9', topic: 'late.one', payload: '', source: 'builder', ts: 5, iteration: 3 },
      },
    } as const;
    const base = createFakeApp(old);
    const reader = (base.openRunReader as NonNullable<typeof base.openRunReader>)('', undefined, {});
    const follow: typeof reader.follow = async (visit) => {
      for (const record of [...old, later]) visit(record);
    };
    const fake = createFakeContext({ app: { ...base, openRunReader: () => ({ ...reader, follow }) } });
    await performCommandLine(['events', '--follow', '--last', '1', '--format', 'json'], fake.context);
    expect(topicsOf(fake.out())).toEqual(['build.blocked', 'late.one']);
  });
});
