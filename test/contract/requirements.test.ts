/** The record of the requirements is complete and true: no requirement is missing there, and each test that it names is there and says what it shows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import vitestConfig from '../../vitest.config.ts';
import { type DeclaredTest, listDeclaredTests } from './declared-tests.ts';
import { type NamedTest, parseRequirements, type Requirement } from './requirements-page.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'test/contract/requirements.md'), 'utf8');

/** How many requirements each section of the plans has. */
const SECTIONS: Readonly<Record<string, number>> = {
  '000-profiles-': 10,
  '000-events-': 7,
  '001-errors-': 6,
  '001-valid-': 3,
  '001-terminal-': 2,
  '001-bypass-': 2,
  '001-messages-': 2,
  '001-presets-': 1,
  '002-goals-': 5,
  '002-decision-1.': 1,
  '002-decision-2.': 4,
  '002-decision-3.': 7,
  '002-decision-4.': 2,
  '002-decision-5.': 4,
  '002-decision-6.': 3,
  '002-risks-': 6,
  '002-injection-': 6,
  '002-api-': 5,
  '002-visual-': 2,
  '002-workspace-': 4,
  '002-anonymity-': 1,
  '002-flow-': 1,
  '002-timing-': 3,
  '002-rules-': 19,
  '003-1.': 4,
  '003-2.': 4,
  '003-3.': 3,
  '003-4.': 3,
  '003-5.': 3,
  '003-6.': 4,
  '003-7.': 3,
  '003-8.': 3,
  '003-9.': 3,
  '003-10.': 3,
  '003-11.': 3,
  '003-12.': 2,
  '004-single-': 5,
  '004-safeguards-': 3,
  '004-bus-': 2,
  '004-parsing-': 2,
  '004-loop-': 4,
  '004-backends-': 2,
  '004-errors-': 4,
  'law-': 9,
};

/** All of them, so that neither a row nor a section can be dropped unseen. */
const IDS = `
  000-profiles-1 000-profiles-2 000-profiles-3 000-profiles-4 000-profiles-5 000-profiles-6 000-profiles-7 000-profiles-8 000-profiles-9 000-profiles-10
  000-events-1 000-events-2 000-events-3 000-events-4 000-events-5 000-events-6 000-events-7
  001-errors-1 001-errors-2 001-errors-3 001-errors-4 001-errors-5 001-errors-6
  001-valid-1 001-valid-2 001-valid-3
  001-terminal-1 001-terminal-2
  001-bypass-1 001-bypass-2
  001-messages-1 001-messages-2
  001-presets-1
  002-goals-1 002-goals-2 002-goals-3 002-goals-4 002-goals-5
  002-decision-1.1
  002-decision-2.1 002-decision-2.2 002-decision-2.3 002-decision-2.4
  002-decision-3.1 002-decision-3.2 002-decision-3.3 002-decision-3.4 002-decision-3.5 002-decision-3.6 002-decision-3.7
  002-decision-4.1 002-decision-4.2
  002-decision-5.1 002-decision-5.2 002-decision-5.3 002-decision-5.4
  002-decision-6.1 002-decision-6.2 002-decision-6.3
  002-risks-1 002-risks-2 002-risks-3 002-risks-4 002-risks-5 002-risks-6
  002-injection-1 002-injection-2 002-injection-3 002-injection-4 002-injection-5 002-injection-6
  002-api-1 002-api-2 002-api-3 002-api-4 002-api-5
  002-visual-1 002-visual-2
  002-workspace-1 002-workspace-2 002-workspace-3 002-workspace-4 002-anonymity-1 002-flow-1 002-timing-1 002-timing-2 002-timing-3
  002-rules-1 002-rules-2 002-rules-3 002-rules-4 002-rules-5 002-rules-6 002-rules-7 002-rules-8 002-rules-9 002-rules-10 002-rules-11 002-rules-12 002-rules-13 002-rules-14 002-rules-15 002-rules-16 002-rules-17 002-rules-18 002-rules-19
  003-1.1 003-1.2 003-1.3 003-1.4
  003-2.1 003-2.2 003-2.3 003-2.4
  003-3.1 003-3.2 003-3.3
  003-4.1 003-4.2 003-4.3
  003-5.1 003-5.2 003-5.3
  003-6.1 003-6.2 003-6.3 003-6.4
  003-7.1 003-7.2 003-7.3
  003-8.1 003-8.2 003-8.3
  003-9.1 003-9.2 003-9.3
  003-10.1 003-10.2 003-10.3
  003-11.1 003-11.2 003-11.3
  003-12.1 003-12.2
  004-single-1 004-single-2 004-single-3 004-single-4 004-single-5
  004-safeguards-1 004-safeguards-2 004-safeguards-3
  004-bus-1 004-bus-2
  004-parsing-1 004-parsing-2
  004-loop-1 004-loop-2 004-loop-3 004-loop-4
  004-backends-1 004-backends-2
  004-errors-1 004-errors-2 004-errors-3 004-errors-4
  law-1 law-2 law-3 law-4 law-5 law-6 law-7 law-8 law-9
`
  .trim()
  .split(/\s+/);

/** Words that name nothing. */
const EMPTY_WORDS = ['the', 'and', 'with', 'for', 'from', 'that', 'its', 'this', 'are', 'was', 'not', 'any', 'has', 'one', 'when'];

const projects = (vitestConfig.test?.projects ?? []) as readonly { readonly test: { readonly include: readonly string[] } }[];
const INCLUDES = projects.flatMap((project) => project.test.include.map(toPattern));

/** A pattern of the test runner as a regular expression. */
function toPattern(glob: string): RegExp {
  const text = glob
    .replace(/[.()]/g, '\\$&')
    .replaceAll('**/', '(?:.+/)?')
    .replaceAll(/\*(?!\))/g, '[^/]*');
  return new RegExp(`^${text}$`);
}

const known = new Map<string, readonly DeclaredTest[]>();
function testsOf(file: string): readonly DeclaredTest[] {
  const tests = known.get(file) ?? listDeclaredTests(join(ROOT, file));
  known.set(file, tests);
  return tests;
}

/** True where a text has a word, or one that begins with it. */
function hasWord(text: string, word: string): boolean {
  const from = text.toLowerCase().replaceAll('`', '');
  const wanted = word.toLowerCase().replaceAll('`', '');
  for (let at = from.indexOf(wanted); at >= 0; at = from.indexOf(wanted, at + 1)) {
    if (at === 0 || !/[a-z0-9]/.test(from[at - 1] ?? '') || !/[a-z0-9]/.test(wanted[0] ?? '')) return true;
  }
  return false;
}

/** Everything that is wrong with the page, in words. */
function findFaults(page: string): readonly string[] {
  const requirements = parseRequirements(page);
  const ids = requirements.map(({ id }) => id);
  return [
    ...IDS.filter((id) => !ids.includes(id)).map((id) => `${id} is missing`),
    ...ids.filter((id) => !IDS.includes(id)).map((id) => `${id} is no requirement`),
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} stands twice`),
    ...requirements.filter(({ wording }) => wording === '').map(({ id }) => `${id} has no words`),
    ...requirements.flatMap((requirement) => requirement.tests.flatMap((named) => findTestFaults(requirement, named))),
  ];
}

function findTestFaults(requirement: Requirement, named: NamedTest): readonly string[] {
  const place = `${requirement.id}: ${named.file}`;
  const declared = testsOf(named.file).filter(({ title }) => title === named.title);
  const [found] = declared;
  if (found === undefined) return [`${place} has no test "${named.title}"`];
  const source = `${requirement.wording} ${requirement.tests[0]?.asBuilt ?? ''} ${named.asBuilt}`;
  return [
    ...(declared.length > 1 ? [`${place} has several tests "${named.title}"`] : []),
    ...(named.file.endsWith('.yml') || INCLUDES.some((pattern) => pattern.test(named.file)) ? [] : [`${place} is not run`]),
    ...found.conditions.map((condition) => `${place}: "${named.title}" is not always run (${condition})`),
    ...(found.asserts ? [] : [`${place}: "${named.title}" asserts nothing`]),
    ...findWordFaults(place, named.words, source, found.words),
  ];
}

/** The rule of the page: two words, or one of several parts, that stand in the requirement and in the test. */
function findWordFaults(place: string, words: readonly string[], requirement: string, test: string): readonly string[] {
  const parts = words.flatMap((word) => word.split(/\s+/)).filter((part) => part.length > 1 && !EMPTY_WORDS.includes(part.toLowerCase()));
  return [
    ...(new Set(parts).size < 2 ? [`${place} is named by less than two words`] : []),
    ...words.filter((word) => !hasWord(requirement, word)).map((word) => `${place}: "${word}" is no word of the requirement`),
    ...words.filter((word) => !hasWord(test, word)).map((word) => `${place}: "${word}" is no word of the test "${test}"`),
  ];
}

describe('the record of the requirements', () => {
  test('has every requirement once, each with tests that are there, are run, assert something and name it', () => {
    expect(findFaults(PAGE)).toEqual([]);
  });

  test('has as many requirements in each section as the plans have', () => {
    const counts = Object.keys(SECTIONS).map((section) => [section, IDS.filter((id) => id.startsWith(section)).length]);
    expect(Object.fromEntries(counts)).toEqual(SECTIONS);
    expect(IDS).toHaveLength(17 + 16 + 73 + 38 + 22 + 9);
    expect(parseRequirements(PAGE).map(({ id }) => id)).toEqual(IDS);
  });

  test('has the laws in the words of ARCHITECTURE.md', () => {
    const section =
      readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
        .split(/^## /m)
        .find((text) => text.startsWith('Laws')) ?? '';
    const laws = [...section.matchAll(/^(\d+)\. (.+)$/gm)].map((match) => [`law-${match[1]}`, match[2]]);
    expect(laws).toHaveLength(9);
    expect(
      parseRequirements(PAGE)
        .filter(({ id }) => id.startsWith('law-'))
        .map(({ id, wording }) => [id, wording]),
    ).toEqual(laws);
  });

  const row = PAGE.split('\n').find((line) => line.startsWith('| 003-6.1 |')) ?? '';
  const lie = (change: (line: string) => string): readonly string[] => findFaults(PAGE.replace(row, change(row)));

  test.each<[string, (line: string) => string, string]>([
    ['a row that was dropped', () => '', '003-6.1 is missing'],
    ['a requirement that stands twice', (line) => `${line}\n${line}`, '003-6.1 stands twice'],
    ['a requirement that nobody knows', (line) => line.replace('003-6.1', '003-6.9'), '003-6.9 is no requirement'],
    ['a file that is not there', (line) => line.replace('routing.test.ts', 'ruoting.test.ts'), 'has no test "routing > Unsubscribed'],
    ['a title that is not there', (line) => line.replace('> Unsubscribed', '> Untaken'), 'has no test "routing > Untaken event'],
    ['a title without its group', (line) => line.replace('routing > ', ''), 'has no test "Unsubscribed event'],
    [
      'a test that does not name the requirement',
      (line) => line.replace(/unsubscribed event, triggers Ralph/, 'unsubscribed, shell'),
      '"shell" is no word',
    ],
    [
      'words that are not those of the requirement',
      (line) => line.replace('| Unsubscribed event', '| Unclaimed event'),
      '"unsubscribed event" is no word of the requirement',
    ],
    ['a test that is named by nothing', (line) => line.replace(/unsubscribed event, triggers Ralph/, 'the, Ralph'), 'less than two words'],
  ])('would be told of %s', (_name, change, fault) => {
    expect(lie(change).join('\n')).toContain(fault);
  });
});
