import { describe, expect, it } from 'vitest';
import { inFolder, loadSettings, settingsOf } from '../config-fixtures.ts';
import { diffSettings } from './digest.ts';

const YAML = 'event_loop: {max_iterations: 5}\nhats: {a: {triggers: [x]}, b: {triggers: [y]}}\ncli: {backend: claude}';
const flags = { prompt: 'Do it.' };

describe('the digest of settings', () => {
  it('is the same for the same configuration, whatever its order, comments and spelled-out defaults', () => {
    const other =
      '# a comment\ncli:\n  backend: claude\nhats:\n  a: {triggers: [x]}\n  b: {triggers: [y]}\nevent_loop:\n  routing: exclusive\n  max_iterations: "5"\n';
    expect(settingsOf(other).digest).toEqual(settingsOf(YAML).digest);
    expect(diffSettings(settingsOf(YAML), settingsOf(other))).toEqual([]);
  });

  it.each([
    [YAML.replace('5}', '6}'), ['event_loop.max_iterations']],
    [YAML.replace('[y]', '[z]'), ['hats.b']],
    [`${YAML}\ngates: [{run: make}]`, ['gates']],
    [`${YAML}\nralph: {model: opus}`, ['ralph.model']],
    [`${YAML}\nmode: multi`, ['mode']],
    [YAML.replace('claude', 'codex').replace(', b: {triggers: [y]}', ''), ['cli.backend', 'hats.b']],
  ])('names what changed to %j', (yaml, expected) => {
    const changed = diffSettings(settingsOf(YAML), settingsOf(yaml));
    expect([...changed].sort()).toEqual(expected);
    expect(settingsOf(yaml).digest.config).not.toBe(settingsOf(YAML).digest.config);
  });

  it('covers the command line and the prompt', () => {
    const changed = diffSettings(settingsOf(YAML), settingsOf(YAML, { flags: { prompt: 'Do that.', maxIterations: 9, model: 'm' } }));
    expect([...changed].sort()).toEqual(['cli.model', 'event_loop.max_iterations', 'prompt']);
  });

  const promptOf = (prompt: string) => settingsOf(YAML, { flags: { prompt } });

  it.each([
    ['- [ ] a\n* [ ] b\n+ [x] c', '- [x] a\n* [X] b\n+ [ ] c'],
    ['1. [ ] a\r\n   - [ ] b\r\n2) [ ] c', '1. [x] a\r\n   - [x] b\r\n2) [x] c'],
    ['> - [ ] quoted', '> - [x] quoted'],
    ['```\ncode\n```\n- [ ] after a fence', '```\ncode\n```\n- [x] after a fence'],
  ])('takes what an agent ticked in a list for no change of the prompt: %j', (before, after) => {
    expect(diffSettings(promptOf(before), promptOf(after))).toEqual([]);
  });

  it.each([
    ['- [ ] a', '- [x] b'],
    ['- [ ] a', '- [x] a\n- [ ] b'],
    ['- [ ] a', '- a'],
    // A task that is given up is another task.
    ['- [ ] a', '- [-] a'],
    ['- [ ](a.md)', '- [x](a.md)'],
    ['the array [ ] of', 'the array [x] of'],
    ['```yaml\n- [ ] \n```', '```yaml\n- [x] \n```'],
  ])('takes any other change of the prompt for one: %j to %j', (before, after) => {
    expect(diffSettings(promptOf(before), promptOf(after))).toEqual(['prompt']);
  });

  it('covers the text of instruction files', () => {
    const load = (text: string) =>
      inFolder(
        { 'ralph.yml': 'hats: {a: {triggers: [x], instructions_file: a.md}}', 'a.md': text },
        (cwd) => loadSettings({ cwd, flags }).settings,
      );
    const [before, after] = [load('one'), load('two')];
    if (before === null || after === null) throw new Error('no settings');
    expect(diffSettings(before, after)).toEqual(['hats.a']);
  });

  it('is the same in another folder: a run that goes on elsewhere has its scripts there', () => {
    const load = (script: string) =>
      inFolder(
        {
          'ralph.yml':
            'hats: {a: {triggers: [x]}}\nhooks: {EventPublish: [{handler: h/a.sh}], RunEnd: [{handler: h/a.sh}, {handler: p.a, type: python}]}',
          ...{ 'h/a.sh': script, 'p.py': '' },
        },
        (cwd) => loadSettings({ cwd, flags }).settings,
      );
    const [here, there, changed] = [load('one'), load('one'), load('two')];
    if (here === null || there === null || changed === null) throw new Error('no settings');
    expect(here.hooks).not.toEqual(there.hooks);
    expect(diffSettings(here, there)).toEqual([]);
    expect(diffSettings(here, changed)).toEqual(['hooks', 'runHooks']);
  });

  it('survives being stored', () => {
    const settings = settingsOf(YAML);
    expect(diffSettings(JSON.parse(JSON.stringify(settings)), settings)).toEqual([]);
  });
});
