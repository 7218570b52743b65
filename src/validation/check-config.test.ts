import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { renderDiagnostics } from '../config/findings/diagnostics.ts';
import type { Diagnostic } from '../config/findings/located.ts';
import { parseYamlText } from '../config/yaml/parse-yaml.ts';
import type { BackendSpec } from '../core/backends/backend-spec.ts';
import { makeHat, makeSpec } from '../core/spec-fixtures.ts';
import { accept, refuse } from '../core/values/result.ts';
import { checkConfig, findHatsWithoutAgent } from './check-config.ts';

/** Checks texts that are on no disk; later ones are laid over the first. */
function check(...texts: readonly string[]) {
  const names = texts.map((_text, index) => `${index}.yml`);
  const readText = (path: string) => {
    const text = texts[names.findIndex((name) => path.endsWith(name))];
    return text === undefined ? refuse({ kind: 'missing', message: 'it is not there' } as const) : accept(text);
  };
  return checkConfig({ cwd: '/nowhere', configFiles: names, readText, prompt: 'optional' });
}

/** The text at the place of a finding. */
function tokenAt(
  text: string,
  { line, column, endLine, endColumn }: Pick<Diagnostic, 'line' | 'column' | 'endLine' | 'endColumn'>,
): string {
  return line === endLine ? (text.split('\n')[line - 1] ?? '').slice(column - 1, endColumn - 1) : '(lines)';
}

/** `severity message @line:token` of each. */
function findingsOf(text: string, ...over: readonly string[]): readonly string[] {
  return check(text, ...over).diagnostics.map((found) => `${found.severity}: ${found.message} @${found.line}:${tokenAt(text, found)}`);
}

const MINIMAL = `hats:
  worker:
    name: "Worker"
    triggers: ["task.start", "task.resume"]
    # No publishes - single hat runs to completion
    instructions: |
      Implement the requested feature. When done, output: LOOP_COMPLETE
`;

const STANDARD = `hats:
  planner:
    name: "Planner"
    triggers: ["task.start", "task.resume", "build.done", "build.blocked"]
    publishes: ["build.task"]

  builder:
    name: "Builder"
    triggers: ["build.task"]
    publishes: ["build.done", "build.blocked"]
`;

const EXTENDED = `hats:
  planner:
    name: "Planner"
    triggers: ["task.start", "task.resume", "build.blocked", "review.approved", "review.rejected"]
    publishes: ["build.task", "review.request"]

  builder:
    name: "Builder"
    triggers: ["build.task"]
    publishes: ["build.done", "build.blocked"]

  reviewer:
    name: "Reviewer"
    triggers: ["build.done", "review.request"]
    publishes: ["review.approved", "review.rejected"]

event_loop:
  completion_promise: "LOOP_COMPLETE"
`;

const ORPHAN = `hats:
  planner:
    name: "Planner"
    triggers: ["task.start"]
    publishes: ["build.task", "deploy.start"]  # ← deploy.start has no subscriber

  builder:
    name: "Builder"
    triggers: ["build.task"]
    publishes: ["build.done"]
`;

const UNREACHABLE = `hats:
  planner:
    name: "Planner"
    triggers: ["task.start", "build.done"]
    publishes: ["build.task"]

  builder:
    name: "Builder"
    triggers: ["build.task"]
    publishes: ["build.done"]

  auditor:
    name: "Auditor"
    triggers: ["audit.request"]  # ← No hat publishes audit.request
    publishes: ["audit.done"]
`;

const AMBIGUOUS = `hats:
  planner:
    name: "Planner"
    triggers: ["task.start", "build.done"]  # ← build.done also in reviewer
    publishes: ["build.task"]

  builder:
    name: "Builder"
    triggers: ["build.task"]
    publishes: ["build.done"]

  reviewer:
    name: "Reviewer"
    triggers: ["build.done"]  # ← Conflicts with planner
    publishes: ["review.done"]
`;

const NO_RECOVERY = `hats:
  coordinator:
    name: "Coordinator"
    triggers: ["task.start", "impl.done"]  # ← Missing task.resume
    publishes: ["impl.task"]

  implementer:
    name: "Implementer"
    triggers: ["impl.task"]
    publishes: ["impl.done", "impl.blocked"]  # ← blocked has no handler!
`;

describe('seed 001, the valid samples', () => {
  it.each([
    ['minimal collection (single hat)', MINIMAL],
    ['standard planner/builder', STANDARD],
    ['extended team with reviewer', EXTENDED],
  ])('%s: validation passes with no errors or warnings', (_name, text) => {
    const { diagnostics, settings, coordination } = check(text);
    expect(diagnostics).toEqual([]);
    expect(settings).not.toBeNull();
    expect(coordination).toBe('hats');
  });

  it('a single-hat collection that triggers on task.start: the single hat is implicitly the recovery hat', () => {
    expect(findingsOf('hats: {worker: {triggers: [task.start]}}')).toEqual([]);
  });
});

describe('seed 001, the invalid samples', () => {
  it('orphan event', () => {
    expect(findingsOf(ORPHAN)).toContain(`error: Event 'deploy.start' published by 'planner' has no subscriber. @5:"deploy.start"`);
  });

  it('unreachable hat, with the event flow graph showing the gap', () => {
    expect(findingsOf(UNREACHABLE)).toContain("error: Hat 'auditor' is unreachable from entry point. @12:auditor");
    const why = check(UNREACHABLE).diagnostics.find(({ code }) => code === 'hat-unreachable')?.why ?? '';
    const lines = why.split('\n');
    const gap = lines.findIndex((line) => line.includes('↳ (no path to auditor)'));
    expect(why).toContain("No event path leads from 'task.start' to 'auditor'. This hat will never execute.");
    expect(lines[gap - 1]).toBe('  task.start → planner → build.task → builder → build.done → planner');
    expect(lines[gap]?.indexOf('↳')).toBe(lines[gap - 1]?.lastIndexOf('→'));
  });

  it('ambiguous routing, with both hat names and both places', () => {
    expect(findingsOf(AMBIGUOUS)).toContain(`error: Ambiguous routing for trigger 'build.done'. @4:"build.done"`);
    const found = check(AMBIGUOUS).diagnostics.find(({ code }) => code === 'routing-ambiguous');
    expect(found?.why).toContain("Both 'planner' and 'reviewer' trigger on 'build.done'.");
    expect(found?.hats).toEqual(['planner', 'reviewer']);
    expect(found?.related?.map((other) => `${other.line}:${tokenAt(AMBIGUOUS, other)}`)).toEqual(['14:"build.done"']);
  });

  it('no recovery path: both errors', () => {
    const found = findingsOf(NO_RECOVERY);
    expect(found).toContain("error: Recovery hat 'coordinator' does not subscribe to 'task.resume'. @4:triggers");
    expect(found).toContain(`error: Event 'impl.blocked' published by 'implementer' has no subscriber. @10:"impl.blocked"`);
  });

  it('whatever is wrong is all told in one go', () => {
    expect(check(ORPHAN).diagnostics.map(({ code }) => code)).toEqual(['recovery-resume', 'event-orphan', 'event-orphan']);
    expect(check(ORPHAN).settings).toBeNull();
  });
});

describe('seed 001, rule 1: non-empty collection', () => {
  it.each(['', 'auto', 'ralph', 'hats'])('`hats: {}` is the error under every coordination: %s', (coordinator) => {
    const loop = coordinator === '' ? '' : `event_loop: {coordinator: ${coordinator}}\n`;
    const text = `${loop}hats: {}\n`;
    expect(findingsOf(text)).toEqual([`error: Hat collection is empty. @${coordinator === '' ? 1 : 2}:hats`]);
  });

  it('no `hats:` key is no collection at all', () => {
    expect(findingsOf('event_loop: {max_iterations: 3}')).toEqual([]);
  });
});

describe('seed 001, rule 2: entry point exists', () => {
  const LOST =
    'event_loop: {coordinator: hats}\nhats:\n  a: {triggers: [b.done], publishes: [a.done]}\n  b: {triggers: [a.done], publishes: [b.done]}\n';

  it('error "No hat triggers on \'task.start\'" is returned with `coordinator: hats`', () => {
    expect(findingsOf(LOST)).toContain("error: No hat triggers on 'task.start' or 'task.resume'. @2:hats");
  });

  it.each(['starting_hat: a', 'starting_event: b.done'])('%s is an entry', (setting) => {
    const text = LOST.replace('coordinator: hats', `coordinator: hats, ${setting}`);
    expect(findingsOf(text).filter((found) => found.includes('No hat triggers'))).toEqual([]);
  });

  it.each(['task.start', 'task.resume', 'task.ready', 'task.*', '"*"'])('%s is an entry', (trigger) => {
    const text = `event_loop: {coordinator: hats}\nhats: {a: {triggers: [${trigger}]}}`;
    expect(findingsOf(text)).toEqual([]);
  });

  it('under Ralph he is the entry', () => {
    expect(findingsOf('hats: {a: {triggers: [a.asked], publishes: [a.done]}}')).toEqual([]);
  });
});

describe('seed 001, rule 3: unique triggers', () => {
  const team = (first: string, second: string, loop = '') =>
    `event_loop: {terminal_events: [x]${loop}}\nhats:\n  a: {triggers: [${first}], publishes: [x]}\n  b: {triggers: [${second}], publishes: [x]}\n`;
  const ambiguous = (text: string) =>
    check(text)
      .diagnostics.filter(({ code }) => code === 'routing-ambiguous')
      .map(({ topics }) => topics?.[0]);

  it.each([
    ['build.done', 'build.done', 'build.done'],
    ['"a.*"', '"*.b"', 'a.b'],
    ['"a.*"', '"a.*.*"', 'a.*.*'],
    ['"*"', '"*"', '*'],
    ['"ab.*.x"', '"*.cd.x"', 'ab.cd.x'],
  ])('%s and %s both take %s', (first, second, topic) => {
    expect(ambiguous(team(first, second))).toEqual([topic]);
  });

  it.each([
    ['the exact one wins', '"build.*"', 'build.done'],
    ['more literal segments win', '"build.*"', '"build.unit.*"'],
    ['more literal characters win', '"abc.*"', '"*.b"'],
    ['everything is worse than something', '"*"', '"a.*"'],
    ['they never meet', '"a.*.x"', '"*.b.y"'],
  ])('%s: %s beside %s', (_why, first, second) => {
    expect(ambiguous(team(first, second))).toEqual([]);
  });

  it('patterns that tie only where a better trigger takes the event are not ambiguous', () => {
    expect(ambiguous(team('"a.*", a.b', '"*.b"'))).toEqual([]);
    expect(ambiguous(team('"a.*", a.c', '"*.b"'))).toEqual(['a.b']);
  });

  it('a hat may take what it publishes, and name a topic in two ways', () => {
    expect(ambiguous('hats: {a: {triggers: [task.start, a.again, "a.*", "*.again"], publishes: [a.again]}}')).toEqual([]);
  });

  it('is asked under Ralph too, and not under fanout', () => {
    expect(check(team('go', 'go')).coordination).toBe('ralph');
    expect(ambiguous(team('go', 'go'))).toEqual(['go']);
    expect(ambiguous(team('go', 'go', ', routing: fanout'))).toEqual([]);
  });

  it('many hats on one trigger are one finding that names two and counts the others', () => {
    const hats = Array.from({ length: 12 }, (_none, index) => `  h${index}: {triggers: [go]}`).join('\n');
    const [found, ...others] = check(`hats:\n${hats}\n`).diagnostics.filter(({ code }) => code === 'routing-ambiguous');
    expect(others).toEqual([]);
    expect(found?.why).toContain("Both 'h0' and 'h1' (and 10 more) trigger on 'go'.");
  });
});

describe('seed 001, rule 4: no orphan events', () => {
  const orphans = (text: string) =>
    check(text)
      .diagnostics.filter(({ code }) => code === 'event-orphan')
      .map(({ topics }) => topics?.[0]);
  const team = (publishes: string, loop = '') =>
    `event_loop: {terminal_events: [deploy.complete]${loop}}\nhats:\n  planner: {triggers: [task.start, task.resume, "plan.*"], publishes: [${publishes}]}\n  builder: {triggers: [build.task], publishes: [plan.next]}\n`;

  it('an event listed in terminal_events is not flagged; only those and the built-in ones are exempt', () => {
    expect(orphans(team('build.task, deploy.complete, LOOP_COMPLETE, task.complete, deploy.done'))).toEqual(['deploy.done']);
    expect(orphans(team('build.task, SHIPPED, LOOP_COMPLETE', ', completion_promise: SHIPPED'))).toEqual([]);
  });

  it.each([
    ['a pattern that a trigger meets', '"build.*"'],
    ['a pattern that a pattern meets', 'build.task, "*.anything"'],
    ['a pattern that a terminal event meets', 'build.task, "deploy.*"'],
    ['an edge to a hat', 'build.task, {topic: hand.over, target: builder}'],
    ['an edge to Ralph', 'build.task, {topic: help.wanted, target: ralph}'],
    ['what it takes itself', 'build.task, plan.again'],
  ])('%s is no orphan', (_name, publishes) => {
    expect(orphans(team(publishes))).toEqual([]);
  });

  it('a pattern that nothing meets is one', () => {
    expect(orphans(team('build.task, "ship.*"'))).toEqual(['ship.*']);
  });

  it('a default under a pattern counts as published', () => {
    const text = team('build.task, "ship.*"').replace('"ship.*"]', '"build.*"], default_publishes: build.other');
    expect(findingsOf(text).filter((found) => found.includes('no subscriber'))).toEqual([
      "error: Event 'build.other' published by 'planner' has no subscriber. @3:build.other",
    ]);
  });

  it('a slip of the pen is called so and can be mended', () => {
    const [found] = check(team('biuld.task, build.task')).diagnostics;
    expect(found?.why).toContain("Did you mean 'build.task', which 'builder' triggers on?");
    expect(found?.repairs).toEqual([
      { title: 'write "build.task" instead of "biuld.task"', isSafe: true, change: { kind: 'replace', text: 'build.task' } },
    ]);
  });

  it('any other can be made terminal, which only a person can say', () => {
    const [found] = check(team('build.task, ship.it')).diagnostics;
    expect(found?.repairs).toMatchObject([{ isSafe: false, change: { kind: 'add-item', item: 'ship.it' } }]);
  });

  it('a trigger that cannot be read is no reason to call its event an orphan', () => {
    const text = team('build.task, ship.it').replace('[build.task], publishes', '[build.task, "ship.it!"], publishes');
    expect(check(text).diagnostics.map(({ code }) => code)).toEqual(['topic-invalid']);
  });
});

describe('seed 001, rule 5: reachable hats', () => {
  const lost = (text: string) =>
    check(text)
      .diagnostics.filter(({ code }) => code === 'hat-unreachable')
      .flatMap(({ hats }) => hats ?? []);
  const team = (auditor: string, planner = '', top = '') =>
    `${top}hats:\n  planner: {triggers: [task.start, task.resume], publishes: [${planner}]}\n  auditor: {${auditor}}\n`;

  it.each([
    ['nobody publishes what it takes', 'triggers: [audit.request]', ''],
    ['only it publishes what it takes', 'triggers: [audit.request], publishes: [audit.request]', ''],
  ])('is told where %s', (_name, auditor, planner) => {
    expect(lost(team(auditor, planner))).toEqual(['auditor']);
  });

  it('is told where a better trigger takes away all that is published', () => {
    const text = team('triggers: ["audit.*"]', 'audit.request').replace('task.resume]', 'task.resume, audit.request]');
    expect(lost(text)).toEqual(['auditor']);
  });

  it.each([
    ['a topic', 'triggers: [audit.request]', 'audit.request'],
    ['a trigger with a pattern', 'triggers: ["audit.*"]', 'audit.request'],
    ['a pattern among what is published', 'triggers: [audit.request]', '"audit.*"'],
    ['a target', 'triggers: [audit.request]', '{topic: look.here, target: auditor}'],
  ])('%s leads to it', (_name, auditor, planner) => {
    expect(lost(team(auditor, planner))).toEqual([]);
  });

  it.each(['error.timeout', 'error.*', 'task.continue', 'task.blocked', 'human.said', '"*"'])(
    'the loop itself publishes for %s',
    (trigger) => {
      expect(lost(team(`triggers: [${trigger}]`))).toEqual([]);
    },
  );

  it('a failing gate leads to who takes the blocked topic', () => {
    expect(lost(team('triggers: [build.blocked]'))).toEqual(['auditor']);
    expect(lost(team('triggers: [build.blocked]', '', 'gates: [{on: [build.done], run: "true"}]\n'))).toEqual([]);
    expect(lost(team('triggers: [build.blocked]', '', 'gates: [{on: ["build.*"], run: "true"}]\n'))).toEqual([]);
  });

  it('transitions lead on', () => {
    const text = team('triggers: [audit.request]').replace('publishes: []', 'transitions: [auditor]');
    expect(lost(text)).toEqual([]);
  });

  it('a hat without triggers has its own finding and no other', () => {
    expect(check(team('triggers: []')).diagnostics.map(({ code }) => code)).not.toContain('hat-unreachable');
    expect(check(team('triggers: ["a b"]')).diagnostics.map(({ code }) => code)).not.toContain('hat-unreachable');
  });

  it('a hat that waits for a completion is never called: the run is over by then', () => {
    const text = (rest: string) =>
      `${rest}hats:\n  a: {triggers: [task.start, task.resume, b.done], publishes: [b.go, "task.*"]}\n  b: {triggers: [b.go], publishes: [b.done]}\n  c: {triggers: [task.complete, LOOP_COMPLETE], publishes: [b.done]}\n`;
    const [found] = check(text('')).diagnostics.filter(({ code }) => code === 'hat-unreachable');
    expect(found?.hats).toEqual(['c']);
    expect(found?.fix).not.toMatch(/publishes: .*(task\.complete|LOOP_COMPLETE)/);
    expect(lost(text('event_loop: {completion_promise: b.go}\n'))).toEqual(['b', 'c']);
  });

  it('is not asked under Ralph, who can call any hat', () => {
    expect(lost('hats:\n  a: {triggers: [nobody.asks]}\n  b: {triggers: [nobody.knows]}\n')).toEqual([]);
  });
});

describe('seed 001, rule 6: recovery hat valid', () => {
  const recovery = (text: string) =>
    check(text)
      .diagnostics.filter(({ code }) => code === 'recovery-resume')
      .map(({ message }) => message);
  const pair = (first: string, second: string, top = '') =>
    `${top}hats:\n  ${first.replace('=', ': {triggers: [')}], publishes: [go]}\n  ${second.replace('=', ': {triggers: [go, ')}], publishes: [LOOP_COMPLETE]}\n`;

  it.each([
    ['a hat called planner', pair('lead=task.start', 'planner=x'), 'planner'],
    ['the named one', pair('planner=task.start, task.resume', 'b=x', 'event_loop: {recovery_hat: b}\n'), 'b'],
    ['who takes the start', pair('a=task.start', 'b=x'), 'a'],
    ['the starting hat', pair('a=begin', 'b=x', 'event_loop: {starting_hat: a}\n'), 'a'],
  ])('%s', (_name, text, hat) => {
    expect(recovery(text)).toEqual([`Recovery hat '${hat}' does not subscribe to 'task.resume'.`]);
  });

  it.each([
    ['task.resume itself', pair('a=task.start, task.resume', 'b=x')],
    ['a pattern', pair('a="task.*"', 'b=x')],
    ['another hat that takes it', pair('a=task.start', 'b=task.resume')],
    ['a lone hat', 'hats: {a: {triggers: [task.start]}}'],
  ])('%s is enough', (_name, text) => {
    expect(recovery(text)).toEqual([]);
  });

  it('under Ralph only a hat that is named is asked', () => {
    expect(recovery('hats: {planner: {triggers: [x]}, b: {triggers: [y]}}')).toEqual([]);
    expect(recovery('event_loop: {recovery_hat: b}\nhats: {planner: {triggers: [x]}, b: {triggers: [y]}}')).toEqual([
      "Recovery hat 'b' does not subscribe to 'task.resume'.",
    ]);
  });

  it('can be mended', () => {
    const found = check(NO_RECOVERY).diagnostics.find(({ code }) => code === 'recovery-resume');
    expect(found?.repairs).toEqual([
      {
        title: 'add "task.resume" to the triggers of coordinator',
        isSafe: true,
        change: { kind: 'add-item', to: { kind: 'hat-list', hat: 'coordinator', list: 'triggers' }, item: 'task.resume' },
      },
    ]);
  });
});

describe('seed 001, rule 7: exit point exists', () => {
  const team = (last: string) =>
    `event_loop: {coordinator: hats, starting_event: work.begin}\nhats:\n  a: {triggers: [work.begin, b.done], publishes: [a.done]}\n  b: {triggers: [a.done], publishes: [b.done${last}]}\n`;
  const exits = (text: string) => findingsOf(text).filter((found) => found.includes('terminate'));

  it('is told where nobody is the recovery hat, alone, or allowed to publish the promise', () => {
    expect(exits(team(''))).toEqual(['error: No hat can terminate the loop. @2:hats']);
  });

  it.each([', LOOP_COMPLETE', ', task.complete', ', "*"'])('publishing %s is an exit', (last) => {
    expect(exits(team(last))).toEqual([]);
  });
});

describe('slips of the pen under Ralph', () => {
  const team = (published: string, taken: string, extra = '') =>
    `hats:\n  builder: {triggers: [build.task], publishes: [${published}]}\n  reviewer: {triggers: [${taken}], publishes: [review.passed]}\n${extra}`;

  it('an event that is nearly a known trigger is a warning', () => {
    const text = team('biuld.done', 'build.done');
    expect(findingsOf(text)).toEqual([
      "warning: No hat takes 'biuld.done', published by 'builder': did you mean 'build.done'? @2:biuld.done",
    ]);
    expect(check(text).settings).not.toBeNull();
  });

  it('a hat that waits for what is nearly published is a hint, where more hats write it the other way', () => {
    const text = team('build.done', 'buidl.done', '  fixer: {triggers: [fix.task], publishes: [build.done]}\n');
    expect(findingsOf(text)).toEqual([
      "hint: Nobody publishes 'buidl.done', which 'reviewer' triggers on: did you mean 'build.done'? @3:buidl.done",
    ]);
  });

  it.each([
    ['build.done', 'build.failed'],
    ['test.done', 'task.done'],
    ['step1.done', 'step2.done'],
    ['plan.approved', 'plan.rejected'],
  ])('%s is not %s', (published, taken) => {
    expect(findingsOf(team(published, taken))).toEqual([]);
  });
});

describe('seed 001, validation bypass', () => {
  it.each([ORPHAN, UNREACHABLE, AMBIGUOUS, NO_RECOVERY, 'hats: {}\n', 'event_loop: {coordinator: hats}\nhats: {a: {triggers: [x]}}\n'])(
    'errors are downgraded to warnings and the loop proceeds',
    (text) => {
      const before = check(text);
      const { diagnostics, settings } = check(text, 'event_loop: {strict_validation: false}');
      expect(before.settings).toBeNull();
      expect(settings?.strictValidation).toBe(false);
      expect(new Set(diagnostics.map(({ severity }) => severity))).toEqual(new Set(['warning']));
      expect(diagnostics.map(({ code }) => code).sort()).toEqual(
        [...before.diagnostics.map(({ code }) => code), 'validation-bypassed'].sort(),
      );
    },
  );

  it('says what it means', () => {
    const [found] = check('event_loop: {strict_validation: false}').diagnostics;
    expect(`${found?.message} ${found?.why}`).toBe(
      'Hat collection validation bypassed (strict_validation: false). Errors downgraded to warnings. This may cause undefined behavior.',
    );
  });
});

describe('seed 001, error messages', () => {
  const FINDINGS = fileURLToPath(new URL('../../fixtures/findings', import.meta.url));
  const INVALID = [ORPHAN, UNREACHABLE, AMBIGUOUS, NO_RECOVERY];

  it('every error says what is wrong, why it matters and how to fix it', () => {
    // The invalid samples of the seed, and one of every other finding there is.
    const samples = readdirSync(FINDINGS).filter((name) => name.endsWith('.yml'));
    const texts = [...INVALID, ...samples.map((name) => readFileSync(join(FINDINGS, name), 'utf8'))];
    const errors = texts.flatMap((text) => check(text).diagnostics).filter(({ severity }) => severity === 'error');
    expect(new Set(errors.map(({ code }) => code)).size).toBeGreaterThan(30);
    for (const found of errors) {
      const { code, message, why, fix } = found;
      expect(
        [message, why, fix].filter((words) => words.length <= 10),
        code,
      ).toEqual([]);
      expect(new Set([message, why, fix]).size, code).toBe(3);
      // What to do is said: a sentence in the imperative, or YAML to write.
      expect(fix, code).toMatch(/^[A-Z`]|\n/);
      const shown = renderDiagnostics([found]);
      expect(shown).toMatch(/^ERROR: /);
      expect([shown.indexOf('\n  Why: ') > 0, shown.indexOf('\n  Fix: ') > shown.indexOf('\n  Why: ')], code).toEqual([true, true]);
    }
  });

  it('the first YAML of every fix, laid over the file, takes the finding away', () => {
    for (const text of [...INVALID, 'event_loop: {coordinator: hats}\nhats: {a: {triggers: [x]}}\n']) {
      for (const found of check(text).diagnostics) {
        const yaml = found.fix.split('\n\n').find((part) => /^(hats|event_loop):/.test(part)) ?? '';
        expect(parseYamlText(yaml, 'fix')).toBeTypeOf('object');
        const left = check(text, yaml).diagnostics.map(({ code, message }) => `${code} ${message}`);
        expect(left).not.toContain(`${found.code} ${found.message}`);
      }
    }
  });
});

describe('nothing is asked of', () => {
  it.each([
    ['solo', 'event_loop: {terminal_events: [x]}'],
    ['mode: single', 'mode: single'],
  ])('%s', (_name, text) => {
    expect(check(text).diagnostics).toEqual([]);
    expect(check(text).coordination).toBe('solo');
  });
});

describe('one mistake is one finding', () => {
  const codesOf = (text: string): readonly string[] => check(text).diagnostics.map(({ code }) => code);

  it('the run ends by another word than a hat publishes', () => {
    const text =
      'event_loop: {completion_promise: ALL_DONE}\nhats:\n  a: {triggers: [task.start, task.resume], publishes: [go]}\n  b: {triggers: [go], publishes: [LOOP_COMPLETE]}\n';
    expect(codesOf(text)).toEqual(['promise-not-allowed']);
    expect(codesOf(text.replace('[LOOP_COMPLETE]', '[ALL_DONE]'))).toEqual([]);
  });

  it('a hat that is called as Ralph', () => {
    expect(codesOf('hats: {ralph: {triggers: [task.start]}}')).toEqual(['hat-id-reserved']);
  });

  it('a hat whose import is missing', () => {
    const text = 'hats:\n  a: {triggers: [task.start, task.resume], publishes: [go]}\n  b: {import: ./gone.yml, triggers: [go]}\n';
    expect(codesOf(text)).toEqual(['import-missing']);
  });

  it('a topic between backticks that a hat is told to publish and may not', () => {
    const team = (told: string): string =>
      `hats:\n  a: {triggers: [task.start, task.resume, build.done], publishes: [go]}\n  b: {triggers: [go], publishes: [build.done], instructions: "${told}"}\n`;
    expect(codesOf(team('Publish `build.finished` when the work is there.'))).toEqual(['instruction-topic']);
    expect(codesOf(team('Publish `build.done`. Read `src/main.rs` and `build.gradle`.'))).toEqual([]);
  });
});

describe('a finding about a limit that a flag or a variable set', () => {
  const text = `event_loop: { max_iterations: 100, recovery_hat: last }
hats:
  first: { triggers: [task.start], publishes: [go.on] }
  last: { triggers: [go.on, task.resume] }
`;
  const readText = () => accept(text);
  const order = { cwd: '/nowhere', configFiles: ['ralph.yml'], readText, prompt: 'optional' } as const;

  it.each([
    [{ flags: { maxIterations: '1' } }, '--max-iterations 1', '1', '--max-iterations 6'],
    [{ env: { RALPH_CONFIG_MAX_ITERATIONS: '1' } }, 'RALPH_CONFIG_MAX_ITERATIONS=1', '1', 'RALPH_CONFIG_MAX_ITERATIONS=6'],
    [{ assignments: ['event_loop.max_iterations=1'] }, 'event_loop.max_iterations=1', '1', 'max_iterations: 6'],
  ])('points there, and not at the file that it wins over: %j', (given, line, token, fix) => {
    const [finding, ...others] = checkConfig({ ...order, ...given }).diagnostics;
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ code: 'iterations-too-few', line: 1, excerpt: { text: line }, fix: expect.stringContaining(fix) });
    expect(finding && tokenAt(line, finding)).toBe(token);
  });

  it('points at the file where a flag set another limit', () => {
    const { diagnostics } = checkConfig({ ...order, readText: () => accept(text.replace('100', '1')), flags: { maxRuntime: '90m' } });
    expect(diagnostics).toMatchObject([{ code: 'iterations-too-few', file: 'ralph.yml' }]);
  });
});

it('asks once for an agent that many hats have', () => {
  const agent = { type: 'claude', args: [], env: {} } as unknown as BackendSpec;
  const hats = Array.from({ length: 50 }, (_, index) => makeHat(`hat${index}`, [`t${index}`], []));
  const backends = Object.fromEntries(hats.map(({ id }) => [id, [{ ...agent }]]));
  const asked: string[] = [];
  const find = (spec: BackendSpec) => {
    asked.push(spec.type);
    return { label: 'claude', problem: 'is not there', install: null, fix: null };
  };
  const unserved = findHatsWithoutAgent({ backends, spec: makeSpec({ hats }), priority: [] }, 'hats', '/', { find });
  expect(asked).toEqual(['claude']);
  expect(unserved.map((entry) => entry.hats.length)).toEqual([50]);
});
