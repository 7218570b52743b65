import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { type CheckedConfig, checkConfig } from '../../src/validation/index.ts';

const FOLDER = fileURLToPath(new URL('../../fixtures/seeds', import.meta.url));
const WORK = mkdtempSync(join(tmpdir(), 'ralph-seeds-'));

afterAll(() => rmSync(WORK, { recursive: true, force: true }));

/** A block with what it has to give: `severity code line token`, the token being the text at the place; in the order of the text. */
interface Block {
  readonly name: string;
  readonly file: string;
  readonly findings: readonly string[];
  /** Who coordinates; `null` where the block is no configuration at all. */
  readonly coordination: 'solo' | 'ralph' | 'hats' | null;
  /** Laid over the block. */
  readonly over?: string;
}

/** Written from the plans and the decisions about their conflicts, not from what the tool says. */
const BLOCKS: readonly Block[] = [
  {
    name: '000: a prompt that calls itself YAML is refused as no map',
    file: '000-01.yml',
    coordination: null,
    findings: ['error yaml-syntax'],
  },
  {
    name: '000: the five hats as they stand coordinate themselves, because one takes task.ready, and three events and one hat hang in the air',
    file: '000-02.yml',
    coordination: 'hats',
    findings: [
      'error hat-unreachable 3 explorer',
      'error event-orphan 8 exploration.complete',
      'error recovery-resume 12 triggers',
      'error event-orphan 16 plan.complete',
      'error event-orphan 35 review.changes_requested',
    ],
  },
  {
    name: '000: the five hats load under Ralph, who takes what they leave',
    file: '000-02.yml',
    over: 'event_loop: {coordinator: ralph}',
    coordination: 'ralph',
    findings: [],
  },
  {
    name: '001: the schema of a hat is no collection: its key is unknown',
    file: '001-01.yml',
    coordination: 'solo',
    findings: ['warning key-unknown 1 <hat_id>'],
  },
  { name: '001: terminal events alone', file: '001-02.yml', coordination: 'solo', findings: [] },
  {
    name: '001: a recovery hat that is not there',
    file: '001-03.yml',
    coordination: 'solo',
    findings: ['error hat-unknown 2 "coordinator"'],
  },
  { name: '001: valid, minimal collection (single hat)', file: '001-04.yml', coordination: 'hats', findings: [] },
  { name: '001: valid, standard planner and builder', file: '001-05.yml', coordination: 'hats', findings: [] },
  { name: '001: valid, extended team with reviewer', file: '001-06.yml', coordination: 'hats', findings: [] },
  {
    name: '001: invalid, orphan event',
    file: '001-07.yml',
    coordination: 'hats',
    findings: ['error recovery-resume 4 triggers', 'error event-orphan 5 "deploy.start"', 'error event-orphan 10 "build.done"'],
  },
  {
    name: '001: invalid, unreachable hat',
    file: '001-08.yml',
    coordination: 'hats',
    findings: ['error recovery-resume 4 triggers', 'error hat-unreachable 12 auditor', 'error event-orphan 15 "audit.done"'],
  },
  {
    name: '001: invalid, ambiguous routing',
    file: '001-09.yml',
    coordination: 'hats',
    findings: ['error recovery-resume 4 triggers', 'error routing-ambiguous 4 "build.done"', 'error event-orphan 15 "review.done"'],
  },
  {
    name: '001: invalid, no recovery path',
    file: '001-10.yml',
    coordination: 'hats',
    findings: ['error recovery-resume 4 triggers', 'error event-orphan 10 "impl.blocked"'],
  },
  {
    name: '001: the bypass says so',
    file: '001-11.yml',
    coordination: 'solo',
    findings: ['warning validation-bypassed 2 false'],
  },
  {
    name: '002: hooks bind the native agent only, and agents belong to later versions',
    file: '002-01.yml',
    coordination: 'solo',
    findings: ['warning hook-not-bound 2 hooks', 'hint hook-file-missing 5 "massgen.hooks.audit_all_tools"', 'note key-ignored 8 agents'],
  },
  { name: '004: single-hat mode', file: '004-01.yml', coordination: 'solo', findings: [] },
  { name: '004: multi-hat mode', file: '004-02.yml', coordination: 'hats', findings: [] },
];

function check({ file, over }: Block): { readonly checked: CheckedConfig; readonly text: string } {
  const cwd = mkdtempSync(join(WORK, 'block-'));
  const text = readFileSync(join(FOLDER, file), 'utf8');
  writeFileSync(join(cwd, 'ralph.yml'), text);
  writeFileSync(join(cwd, 'over.yml'), over ?? '');
  return { checked: checkConfig({ cwd, configFiles: ['ralph.yml', 'over.yml'], prompt: 'optional' }), text };
}

function toLine({ severity, code, line, column, endColumn }: CheckedConfig['diagnostics'][number], text: string): string {
  return `${severity} ${code} ${line} ${(text.split('\n')[line - 1] ?? '').slice(column - 1, endColumn - 1)}`;
}

describe('the YAML blocks of the plans', () => {
  test.each(BLOCKS)('$name', (block) => {
    const { checked, text } = check(block);
    const findings = checked.diagnostics.map((diagnostic) => toLine(diagnostic, text));
    expect(checked.coordination).toBe(block.coordination);
    if (block.coordination === null)
      expect([...new Set(findings.map((line) => line.split(' ').slice(0, 2).join(' ')))]).toEqual(block.findings);
    else expect(findings).toEqual(block.findings);
    expect(checked.settings === null).toBe(block.findings.some((line) => line.startsWith('error')));
  });

  test('are all there', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yml'));
    expect(files.filter((file) => !BLOCKS.some((block) => block.file === file))).toEqual([]);
  });
});
