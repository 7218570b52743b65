import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../config/findings/located.ts';
import { findPackageFolder } from '../config/layers/package-files.ts';
import type { ReadText } from '../config/layers/read-text-file.ts';
import { propertyRuns } from '../core/property-fixtures.ts';
import { accept, refuse } from '../core/values/result.ts';
import { checkConfig } from './check-config.ts';
import { type RepairOptions, repairConfig } from './repair-config.ts';
import { drawTeam, listComments } from './team-fixtures.ts';

const CWD = '/nowhere';

function readFrom(files: Readonly<Record<string, string>>): ReadText {
  return (path) => {
    const text = files[path.slice(CWD.length + 1)];
    return text === undefined ? refuse({ kind: 'missing', message: 'it is not there' } as const) : accept(text);
  };
}

/** Repairs a text that is on no disk. */
async function repair(text: string, options: Partial<RepairOptions> = {}, files: Readonly<Record<string, string>> = {}) {
  const request = { cwd: CWD, configFiles: ['ralph.yml'], readText: readFrom({ 'ralph.yml': text, ...files }) };
  const repaired = await repairConfig({ request, mayEdit: () => true, ...options });
  return { ...repaired, text: repaired.files.get(join(CWD, 'ralph.yml')) ?? text };
}

function countErrors(diagnostics: readonly Diagnostic[]): number {
  return diagnostics.filter(({ severity }) => severity === 'error').length;
}

const TEAM = `hats:
  planner: # plans
    triggers: [task.start, task.resume, build.done]
    publishes: [build.task]
  builder:
    triggers: [build.task]
    publishes: [build.done, ship.it]
`;

describe('repairConfig', () => {
  it('repairs all that is sure in a file with ten mistakes, each of which it had told with a place and a fix', async () => {
    const text = readFileSync(join(findPackageFolder(), 'fixtures/ten-mistakes.yml'), 'utf8');
    const { before, checked, text: after } = await repair(text);
    const lines = text.split('\n');
    const planted = lines.flatMap((line, index) => (/# \d+: /.test(line) ? [index + 1] : []));
    expect(planted).toHaveLength(10);
    expect(planted.filter((line) => !before.diagnostics.some((finding) => finding.line === line))).toEqual([]);
    expect(before.diagnostics.filter(({ fix }) => fix === '')).toEqual([]);
    expect(new Set(before.diagnostics.map(({ code }) => code)).size).toBeGreaterThanOrEqual(8);
    expect(checked.diagnostics.map(({ code }) => code)).toEqual(['number-invalid', 'key-unknown']);
    expect(listComments(after)).toEqual(listComments(text));
  });

  it('mends a misspelt section whose own keys are misspelt too', async () => {
    const text = 'event_lop:\n  max_iteratons: 5\nhats:\n  a:\n    trigers: [task.start, task.resume]\n    publishes: [LOOP_COMPLETE]\n';
    const { checked, text: after } = await repair(text);
    expect(after).toBe(text.replace('event_lop', 'event_loop').replace('iteratons', 'iterations').replace('trigers', 'triggers'));
    expect(countErrors(checked.diagnostics)).toBe(0);
  });

  it('says plainly why a misspelt key is not renamed: what its value would be told', async () => {
    const text = 'event_lop: 5\nhats:\n  a:\n    trigers: task start\n    publishes: [LOOP_COMPLETE]\n';
    const { checked, text: after } = await repair(text);
    expect(after).toBe(text);
    const fixes = checked.diagnostics.filter(({ code }) => code === 'key-unknown').map(({ fix }) => fix);
    expect(fixes).toEqual([
      expect.stringMatching(
        /^Write `event_loop:` with another value\. It is not renamed by `--fix`, because its value would be wrong there: `event_lop` .*\.$/,
      ),
      expect.stringMatching(
        /^Write `triggers:` with another value\. It is not renamed by `--fix`, because its value would be wrong there: .*task start.*\.$/,
      ),
    ]);
  });

  it('names the place of a key that is known elsewhere, where its value would be wrong', async () => {
    const { checked } = await repair('output_format: rich\n');
    expect(checked.diagnostics.map(({ message }) => message)).toContain('Unknown key "output_format": did you mean `cli.output_format`?');
  });

  it('says what it changed and where', async () => {
    const { made } = await repair(
      TEAM.replace('triggers: [build.task]', 'trigers: [build.task]').replace('build.done, ship.it', 'build.done'),
    );
    expect(made).toEqual([{ file: 'ralph.yml', line: 6, title: 'rename `trigers` to `triggers`' }]);
  });

  it('asks about what is not sure, and makes only what is chosen', async () => {
    const asked: string[] = [];
    const leaveAll = async (finding: Diagnostic): Promise<null> => {
      asked.push(finding.code);
      return null;
    };
    const leave = await repair(TEAM, { choose: leaveAll });
    expect(asked).toEqual(['event-orphan']);
    expect(leave.made).toEqual([]);
    const take = await repair(TEAM, { choose: async (_finding, [first]) => first ?? null });
    expect(take.text).toBe(`${TEAM}event_loop:\n  terminal_events: [ship.it]\n`);
    expect(take.checked.diagnostics).toEqual([]);
  });

  describe.each(['hats', 'ralph'])('of two spellings, under %s', (coordinator) => {
    const team = (taken: string, published: string, task: string): string =>
      `event_loop: {coordinator: ${coordinator}}\nhats:\n  planner: {triggers: [task.start, task.resume, ${taken}], publishes: [${task}]}\n  b: {triggers: [${task}], publishes: [${published}]}\n`;

    it('mends the trigger where other topics have the word of what is published', async () => {
      const { text, checked } = await repair(team('biuld.done', 'build.done', 'build.task'));
      expect(text).toBe(team('build.done', 'build.done', 'build.task'));
      expect(checked.diagnostics).toEqual([]);
    });

    it('mends what is published where other topics have the word of the trigger', async () => {
      const { text } = await repair(team('build.done', 'biuld.done', 'build.task'));
      expect(text).toBe(team('build.done', 'build.done', 'build.task'));
    });

    it('lets a person choose where no other topic tells, and offers both', async () => {
      const text = team('sprocet.done', 'sprocket.done', 'work.task');
      expect((await repair(text)).made).toEqual([]);
      const change = (at: number) => repair(text, { choose: async (_finding, repairs) => repairs[at] ?? null });
      expect((await change(0)).text).toBe(team('sprocet.done', 'sprocet.done', 'work.task'));
      expect((await change(1)).text).toBe(team('sprocket.done', 'sprocket.done', 'work.task'));
    });

    it('mends the one that is no common word, however often it is written, and every slip of the file', async () => {
      const slips = (done: string, passed: string): string =>
        `event_loop: {coordinator: ${coordinator}}\nhats:\n  planner: {triggers: [task.start, task.resume, review.passed], publishes: [item.done]}\n  b: {triggers: [${done}], publishes: [second.look, ${passed}]}\n  c: {triggers: [second.look], publishes: [${passed}]}\n`;
      const { text, checked } = await repair(slips('item.donne', 'review.pased'));
      expect(text).toBe(slips('item.done', 'review.passed'));
      expect(checked.diagnostics).toEqual([]);
    });
  });

  it('does not write a topic twice into a list where two findings ask for it', async () => {
    const team = (passed: string): string =>
      `event_loop: {coordinator: ralph}\nhats:\n  a: {triggers: [item.done], publishes: [${passed}], instructions: "Publish \`sprocket.done\` when it is good."}\n  b: {triggers: [sprocket.done], publishes: [item.done]}\n`;
    const { text, checked } = await repair(team('sprocet.done'), { choose: 'first' });
    expect(text).toBe(team('sprocket.done'));
    expect(checked.diagnostics).toEqual([]);
  });

  it('makes the first repair of many findings at once, with few checks', async () => {
    const topics = Array.from({ length: 300 }, (_none, index) => `x${index}.ready`);
    const text = TEAM.replace('ship.it', topics.join(', '));
    let reads = 0;
    const readText: ReadText = () => {
      reads += 1;
      return accept(text);
    };
    const request = { cwd: CWD, configFiles: ['ralph.yml'], readText };
    const { checked, made, isCut } = await repairConfig({ request, mayEdit: () => true, choose: 'first' });
    expect(checked.diagnostics).toEqual([]);
    expect([made.length, isCut]).toEqual([300, false]);
    expect(reads).toBeLessThan(20);
  });

  it('asks no more when its checks are spent, and says that there may be more', async () => {
    const topics = Array.from({ length: 30 }, (_none, index) => `x${index}.ready`);
    let asked = 0;
    const choose: RepairOptions['choose'] = async (_finding, [first]) => {
      asked += 1;
      return first ?? null;
    };
    const { isCut, made } = await repair(TEAM.replace('ship.it', topics.join(', ')), { choose, maxTrials: 20 });
    expect(isCut).toBe(true);
    expect(asked).toBeLessThanOrEqual(20);
    expect(made.length).toBeGreaterThan(10);
  });

  describe('a repair that would trade one error for another is not made', () => {
    const RECOVERY = (hat: string): string => `event_loop: {recovery_hat: ${hat}}
hats:
  planner: {triggers: [task.start, task.resume, build.done, build.blocked], publishes: [build.task]}
  builder: {triggers: [build.task], publishes: [build.done, build.blocked]}
`;

    it('a recovery hat beside one that takes task.resume: the other is named, and only where somebody says so', async () => {
      const text = RECOVERY('builder');
      expect((await repair(text)).text).toBe(text);
      const all = await repair(text, { choose: 'first' });
      expect(all.text).toBe(RECOVERY('planner'));
      expect(all.checked.diagnostics).toEqual([]);
    });

    it('writes the recovery hat where none is named', async () => {
      const text = RECOVERY('builder')
        .replace(/^.*\n/, '')
        .replace('task.resume, ', '')
        .concat('  helper: {triggers: [task.resume], publishes: [build.task]}\n');
      const { text: after, checked } = await repair(text, { choose: 'first' });
      expect(after).toBe(`${text}event_loop:\n  recovery_hat: helper\n`);
      expect(checked.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    });

    it('a hat without triggers gets the event that nobody takes', async () => {
      const team = (triggers: string): string =>
        `hats:\n  planner:\n    triggers: [task.start, task.resume, build.done]\n    publishes: [build.task]\n  builder:\n${triggers}    publishes: [build.done]\n`;
      const { before, text, checked } = await repair(team(''), { choose: 'first' });
      expect(before.diagnostics.map(({ code }) => code)).toEqual(['triggers-missing']);
      expect(text).toBe(team('    triggers: [build.task]\n'));
      expect(checked.diagnostics).toEqual([]);
      expect((await repair(team('    triggers: []\n'))).text).toBe(team('    triggers: [build.task]\n'));
    });

    it.each([
      ['docs.done', 'docs.don'],
      ['docs.don', 'docs.done'],
      ['docs.finished', 'docs.finishd'],
    ])('the trigger %s and the published %s are one, however they are written', async (taken, published) => {
      const right = taken.length > published.length ? taken : published;
      const team = (left: string, other: string): string =>
        `hats:\n  lead: {triggers: [task.start, task.resume, ${left}], publishes: [build.task]}\n  builder: {triggers: [build.task], publishes: [${other}]}\n`;
      const { before, text, checked } = await repair(team(taken, published), { choose: 'first' });
      expect(text).toBe(team(right, right));
      expect(checked.diagnostics).toEqual([]);
      const finding = before.diagnostics.find(({ code }) => code === 'event-orphan');
      expect(`${finding?.why}${finding?.fix}`).toMatch(/did you mean/i);
      expect(finding?.fix).toContain(`'${taken}'`);
      expect(finding?.fix).toContain(`'${published}'`);
      expect(finding?.repairs?.map(({ change }) => change.kind)).not.toContain('add-item');
    });
  });

  it('takes back what would leave more errors', async () => {
    // The hat would publish to two that take it: the misspelt topic was the lesser evil.
    const text = TEAM.replace('ship.it', 'build.tsk').replace('builder:', 'builder: &b').concat('  tester:\n    <<: *b\n');
    const { before, checked } = await repair(text);
    expect(countErrors(checked.diagnostics)).toBeLessThanOrEqual(countErrors(before.diagnostics));
  });

  it('changes no file that it may not', async () => {
    const { made, text } = await repair(TEAM.replace('triggers: [build.task]', 'trigers: [build.task]'), { mayEdit: () => false });
    expect(made).toEqual([]);
    expect(text).toContain('trigers');
  });

  it('leaves a file that is no YAML alone', async () => {
    const { made, checked } = await repair('hats: [');
    expect(made).toEqual([]);
    expect(checked.topology).toBeNull();
  });

  it('never makes a file worse, keeps every comment, and has nothing more to do the second time', async () => {
    await fc.assert(
      fc.asyncProperty(drawTeam(), async (text) => {
        const choose: RepairOptions['choose'] = async (_finding, [first]) => first ?? null;
        for (const options of [{}, { choose }, { choose: 'first' as const }]) {
          const first = await repair(text, options);
          expect(countErrors(first.checked.diagnostics)).toBeLessThanOrEqual(countErrors(first.before.diagnostics));
          expect(first.before.topology === null || first.checked.topology !== null).toBe(true);
          expect(listComments(first.text)).toEqual(listComments(text));
          const again = checkConfig({
            cwd: CWD,
            configFiles: ['ralph.yml'],
            prompt: 'optional',
            readText: readFrom({ 'ralph.yml': first.text }),
          });
          expect(again.diagnostics).toEqual(first.checked.diagnostics);
          expect(first.text.includes('\r\n') && /[^\r]\n/.test(first.text)).toBe(text.includes('\r\n') && /[^\r]\n/.test(text));
          expect((await repair(first.text)).made).toEqual([]);
        }
      }),
      { numRuns: propertyRuns(40) },
    );
  }, 60_000);
});
