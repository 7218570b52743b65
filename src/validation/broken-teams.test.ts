import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../config/findings/located.ts';
import { findPackageFolder } from '../config/layers/package-files.ts';
import type { ReadText } from '../config/layers/read-text-file.ts';
import { propertyRuns } from '../core/property-fixtures.ts';
import type { Repair } from '../core/schema/finding.ts';
import { accept, refuse } from '../core/values/result.ts';
import { type CheckedConfig, checkConfig } from './check-config.ts';
import { type RepairOptions, repairConfig } from './repair-config.ts';
import { listBrokenTeams, listComments } from './team-fixtures.ts';

/** A failing one is named by its number. `npm test` breaks 2,000. */
const COUNT = Number(process.env['RALPH_BROKEN_TEAMS'] ?? propertyRuns(150));
const CWD = '/nowhere';

const GOOD = ['presets', 'fixtures/seeds', 'fixtures/findings']
  .flatMap((folder) => listYaml(join(findPackageFolder(), folder)))
  .map((path) => readFileSync(path, 'utf8'))
  .filter((text) => /^hats:/m.test(text))
  .filter((text) => {
    const checked = check(text);
    return checked.topology !== null && errorsOf(checked).length === 0;
  });

function listYaml(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yml'))
    .map((name) => join(folder, name));
}

function toRequest(text: string) {
  const readText: ReadText = (path) =>
    path.endsWith('ralph.yml') ? accept(text) : refuse({ kind: 'missing', message: 'it is not there' } as const);
  return { cwd: CWD, configFiles: ['ralph.yml'], prompt: 'optional', readText } as const;
}

function check(text: string): CheckedConfig {
  return checkConfig(toRequest(text));
}

async function repair(text: string, choose?: RepairOptions['choose']) {
  const repaired = await repairConfig({ request: toRequest(text), mayEdit: () => true, ...(choose === undefined ? {} : { choose }) });
  return { ...repaired, text: repaired.files.get(join(CWD, 'ralph.yml')) ?? text };
}

/** What a finding is about, whatever else its words name. */
function toIdentity({ code, message }: Diagnostic): string {
  return `${code} ${message.replace(/: (?:did you mean|is ').*$/s, '')}`;
}

function errorsOf({ diagnostics }: Pick<CheckedConfig, 'diagnostics'>): readonly string[] {
  return diagnostics.filter(({ severity }) => severity === 'error').map(toIdentity);
}

function newErrors(after: CheckedConfig, before: CheckedConfig): readonly string[] {
  const known = errorsOf(before);
  return errorsOf(after).filter((error) => !known.includes(error));
}

/** Findings of the first check that a repair of this title was made for. */
function mendedOf(before: CheckedConfig, titles: readonly string[]): readonly string[] {
  return before.diagnostics.filter(({ repairs = [] }) => repairs.some(({ title }) => titles.includes(title))).map(toIdentity);
}

const broken = listBrokenTeams(GOOD, COUNT).map((text, seed) => ({ seed, text }));

describe(`the repairs of ${COUNT} broken teams`, () => {
  it.each([
    ['--fix', undefined],
    ['--fix-all', 'first'],
  ] as const)(
    '%s brings no new error, takes away what it mends, keeps comments and layout',
    async (_name, choose) => {
      for (const { seed, text } of broken) {
        const { before, checked, made, text: after } = await repair(text, choose);
        const what = `team ${seed}: ${made.map(({ title }) => title).join('; ')}`;
        expect(newErrors(checked, before), what).toEqual([]);
        const left = checked.diagnostics.map(toIdentity);
        const single = made.filter(
          ({ title }) => before.diagnostics.filter(({ repairs = [] }) => repairs.some((one) => one.title === title)).length === 1,
        );
        expect(
          mendedOf(
            before,
            single.map(({ title }) => title),
          ).filter((finding) => left.includes(finding)),
          what,
        ).toEqual([]);
        expect(listComments(after), what).toEqual(listComments(text));
        const written = after.split('\n');
        const kept = text.split('\n').filter((line) => written.includes(line)).length;
        expect(text.split('\n').length - kept, what).toBeLessThanOrEqual(made.length);
      }
    },
    600_000,
  );

  it('offers a person only what takes the finding away and brings no new error', async () => {
    for (const { seed, text } of broken) {
      const offers: { finding: Diagnostic; repair: Repair }[] = [];
      await repair(text, async (finding, repairs) => {
        offers.push(...repairs.map((one) => ({ finding, repair: one })));
        return null;
      });
      for (const { finding, repair: offered } of offers) {
        const { before, checked } = await repair(text, async (asked, repairs) =>
          toIdentity(asked) === toIdentity(finding) ? (repairs.find(({ title }) => title === offered.title) ?? null) : null,
        );
        const what = `team ${seed}: ${offered.title}`;
        expect(newErrors(checked, before), what).toEqual([]);
        expect(checked.diagnostics.map(toIdentity), what).not.toContain(toIdentity(finding));
      }
    }
  }, 600_000);
});
