import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isRalphError } from '../core/values/errors.ts';
import { graph, loadConfig, simulate, validate } from './team.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'ralph-library-'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const TEAM = `hats:
  planner:
    triggers: [task.start, task.resume, build.done]
    publishes: [build.task]
  builder:
    triggers: [build.task]
    publishes: [build.done]
`;
const ORPHAN = TEAM.replace('publishes: [build.done]', 'publishes: [build.done, deploy.now]');

describe('the library', () => {
  it('loads a text for an editor, with every finding at its place', () => {
    const config = loadConfig({ text: ORPHAN, name: 'team.yml', cwd: FOLDER });
    expect(config).toMatchObject({ file: 'team.yml', files: ['team.yml'], valid: false, coordination: 'hats' });
    expect(config.diagnostics).toMatchObject([
      { code: 'event-orphan', file: 'team.yml', line: 7, topics: ['deploy.now'], hats: ['builder'] },
    ]);
    expect(config.spec?.hats?.map((hat) => hat.id)).toEqual(['planner', 'builder']);
  });

  it('loads the configuration of a folder, and nothing of the environment that it is not given', () => {
    writeFileSync(join(FOLDER, 'ralph.yml'), `${TEAM}event_loop: {max_iterations: 7}\n`);
    expect(loadConfig({ cwd: FOLDER }).spec?.limits.maxIterations).toBe(7);
    expect(loadConfig({ cwd: FOLDER, env: { RALPH_CONFIG_MAX_ITERATIONS: '9' } }).spec?.limits.maxIterations).toBe(9);
    expect(loadConfig({ cwd: FOLDER, assignments: ['event_loop.max_iterations=3'] }).spec?.limits.maxIterations).toBe(3);
  });

  it('validates a source or what was loaded, strictly where asked', () => {
    const warned = loadConfig({ text: `${TEAM}gates: [{on: [nobody.says], run: make}]\n`, cwd: FOLDER });
    expect(validate(warned).valid).toBe(true);
    expect(validate(warned, { strict: true }).valid).toBe(false);
    expect(validate({ text: TEAM, cwd: FOLDER })).toEqual({ file: 'ralph.yml', valid: true, coordination: 'hats', diagnostics: [] });
  });

  it('gives the graph as data and as drawings', () => {
    const config = loadConfig({ text: TEAM, cwd: FOLDER });
    expect(graph(config).edges.map((edge) => edge.topic)).toContain('build.task');
    expect(graph(config, 'mermaid')).toMatch(/^flowchart/m);
    expect(graph(config, 'dot')).toMatch(/^digraph/m);
    expect(graph(config, 'svg')).toMatch(/^<svg/);
    expect(graph(config, 'unicode')).toContain('builder');
  });

  it('plays a team, and refuses one with errors', () => {
    expect(simulate({ text: TEAM, cwd: FOLDER }, { runs: 20 })).toMatchObject({ runs: 20 });
    expect(codeOf(() => simulate({ text: ORPHAN, cwd: FOLDER }))).toBe('config-invalid');
    expect(codeOf(() => graph({ text: 'a: b: c', cwd: FOLDER }))).toBe('config-invalid');
    expect(codeOf(() => loadConfig({ cwd: FOLDER, files: ['none.yml'] }))).toBe('config-missing');
  });
  it.each([
    ['a format that there is not', () => graph({ text: TEAM }, 'png' as 'svg'), 'cannot be "png"', 'unicode, mermaid, dot, svg'],
    ['a name instead of a source', () => validate('ralph.yml' as never), 'must be an object, not "ralph.yml"', 'files'],
    ['nothing', () => validate(null as never), 'must be an object, not null', 'files'],
    ['a number as text', () => validate({ text: 5 } as never), '`text` is 5, which is not a text.', 'a text'],
    [
      'an option that there is not',
      () => simulate({ text: TEAM }, { rus: 5 } as never),
      'The options of `simulate` cannot have `rus`: did you mean `runs`?',
      'seed',
    ],
    ['options that are none', () => simulate({ text: TEAM }, 5 as never), 'The options of `simulate` must be an object, not 5.', 'seed'],
    ['a source that there is not', () => validate({ filez: ['a'] } as never), 'did you mean `files`?', 'assignments'],
    ['a list of numbers', () => loadConfig({ files: [5] } as never), 'not a list of texts', 'list'],
  ])('refuses %s, with what is known', (_, call, what, fix) => {
    expect(call).toThrow(
      expect.objectContaining({ code: 'library-argument', message: expect.stringContaining(what), fix: expect.stringContaining(fix) }),
    );
  });
});

function codeOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return isRalphError(error) ? error.code : String(error);
  }
  return 'nothing was thrown';
}
