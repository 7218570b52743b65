import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { parseYamlText } from '../config/yaml/parse-yaml.ts';
import { RalphError } from '../core/values/errors.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIO_SCHEMA } from './scenario-schema.ts';

/**
 * Reads a scenario file.
 *
 * @throws RalphError `scenario-invalid`, with every finding and its path (`iterations[2].events[0]`); `yaml-invalid`; the system error
 */
export function loadScenario(path: string): Scenario {
  return readScenario(parseYamlText(readFileSync(path, 'utf8'), path), path);
}

/**
 * Checks that a value is a scenario.
 *
 * @param where the name of the scenario in errors
 * @throws RalphError `scenario-invalid`
 */
export function readScenario(value: unknown, where: string): Scenario {
  const read = SCENARIO_SCHEMA.safeParse(value);
  if (read.success) return read.data;
  const findings = read.error.issues.flatMap((issue) => toFindings(issue, []));
  throw new RalphError({
    code: 'scenario-invalid',
    what: `${where} is no scenario:\n${findings.map((line) => `  ${line}`).join('\n')}`,
    why: 'A key that is not known would check nothing.',
    fix: 'Every key is in docs/testing.md.',
  });
}

type IssuePath = readonly PropertyKey[];
/** What this code reads of an issue: the library's union of them is too wide to walk. */
type Issue = {
  readonly path: IssuePath;
  readonly message: string;
  readonly code?: string;
  readonly keys?: readonly string[];
  readonly errors?: readonly (readonly z.core.$ZodIssue[])[];
};

function toFindings(issue: Issue, base: IssuePath): readonly string[] {
  const path = [...base, ...issue.path];
  if (issue.code === 'unrecognized_keys') return (issue.keys ?? []).map((key) => `${toPathText([...path, key])}: there is no such key`);
  const best = issue.code === 'invalid_union' ? nearest(issue.errors ?? []) : null;
  if (best !== null) return best.flatMap((inner) => toFindings(inner, path));
  return [`${toPathText(path)}: ${issue.message.replace(/^Invalid input: /, '')}`];
}

/** Of several forms the one that was meant: with the findings that lie deepest, and of these the fewest. `null` where no form fits even roughly. */
function nearest(forms: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | null {
  const rough = (issue: z.core.$ZodIssue): boolean => issue.code === 'invalid_type' && issue.path.length === 0;
  const near = forms.filter((form) => !form.some(rough));
  return [...near].sort((a, b) => a.length - b.length)[0] ?? null;
}

function toPathText(path: IssuePath): string {
  if (path.length === 0) return 'the scenario';
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? String(part) : `.${String(part)}`)).join('');
}
