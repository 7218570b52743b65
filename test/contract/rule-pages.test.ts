import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { type CheckedConfig, checkConfig } from '../../src/validation/index.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RULES = join(ROOT, 'docs/rules');
const FOLDER = mkdtempSync(join(tmpdir(), 'ralph-rules-'));

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** What no YAML of a page can show: too large, too many, not text, or not in the file but on the command line or on the machine. */
const WITHOUT_EXAMPLES = [
  'agent-missing',
  'assignment-invalid',
  'config-encoding',
  'config-too-large',
  'flow-unchecked',
  'import-deep',
  'overlay-hats',
  'overlay-key',
  'state-dir-hidden',
  'yaml-alias-bomb',
  'yaml-too-deep',
];

/** The codes of findings, with their severities, as the page of errors lists them. */
const FINDINGS = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, code = '', kind = ''] = /^\| `([a-z0-9-]+)` \| ([^|]+) \|/.exec(line) ?? [];
    return /error|warning|hint|note/.test(kind) && code !== '' ? [[code, kind.trim()] as const] : [];
  });

const PAGES = readdirSync(RULES)
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .map((name) => name.replace(/\.md$/, ''));

function readSection(code: string, heading: string): string {
  const page = readFileSync(join(RULES, `${code}.md`), 'utf8');
  return (page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '').slice(heading.length).trim();
}

/** Loads what a section shows: the first block is `ralph.yml`, each other one the file that is named behind its kind. */
function check(section: string): CheckedConfig {
  const cwd = mkdtempSync(join(FOLDER, 'case-'));
  for (const [, name = '', text = ''] of section.matchAll(/^```[a-z]+ ?([^\n]*)\n([\s\S]*?)^```/gm)) {
    const path = join(cwd, name === '' ? 'ralph.yml' : name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return checkConfig({ cwd, prompt: 'optional', env: {} });
}

test('every finding has a page, and every page is about one', () => {
  expect(FINDINGS.length).toBeGreaterThan(50);
  expect(FINDINGS.map(([code]) => code).filter((code) => !PAGES.includes(code))).toEqual([]);
  expect(PAGES.filter((code) => !FINDINGS.some(([known]) => known === code))).toEqual([]);
});

test('the list of the rules has each with its severity', () => {
  const rows = [...readFileSync(join(RULES, 'README.md'), 'utf8').matchAll(/^\| \[([a-z0-9-]+)\]\(([a-z0-9-]+)\.md\) \| ([^|]+) \|/gm)];
  expect(rows.map((row) => row[1])).toEqual([...PAGES].sort());
  for (const [, code = '', target, severity] of rows) {
    expect(target).toBe(code);
    expect(readFileSync(join(RULES, `${code}.md`), 'utf8')).toContain(`\n\nSeverity: ${severity}\n\n`);
  }
});

describe.each(PAGES.filter((code) => !WITHOUT_EXAMPLES.includes(code)))('the page of %s', (code) => {
  test('says what and why', () => {
    expect(readSection(code, 'What')).not.toBe('');
    expect(readSection(code, 'Why')).not.toBe('');
    expect(readSection(code, 'Severity and switching off')).not.toBe('');
  });

  test('shows a wrong example that gives the finding, with the severity that the page names', () => {
    const findings = check(readSection(code, 'Wrong')).diagnostics;
    expect(findings.map((finding) => finding.code)).toContain(code);
    const { severity } = findings.find((finding) => finding.code === code) ?? {};
    expect(readFileSync(join(RULES, `${code}.md`), 'utf8')).toMatch(new RegExp(`^Severity: .*${severity}`, 'm'));
  });

  test('shows a right example that gives no error and no warning', () => {
    const findings = check(readSection(code, 'Right')).diagnostics;
    expect(findings.filter(({ severity }) => severity === 'error' || severity === 'warning').map((finding) => finding.message)).toEqual([]);
    expect(findings.map((finding) => finding.code)).not.toContain(code);
  });
});

test.each(PAGES.filter((code) => WITHOUT_EXAMPLES.includes(code)))('the page of %s says what and why without an example', (code) => {
  expect(readSection(code, 'What')).not.toBe('');
  expect(readSection(code, 'Why')).not.toBe('');
});
