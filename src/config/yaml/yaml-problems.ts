import type { Finding } from '../../core/schema/finding.ts';

/** The library's code of a problem, and its own words for it. */
export interface YamlProblem {
  readonly code: string;
  readonly message: string;
}

export interface OpenMark {
  /** `[`, `{`, `"` or `'`. */
  readonly mark: string;
  readonly start: number;
  /** True where it is closed, but lines before the end are not indented enough. */
  readonly isOutdented: boolean;
}

type ProblemWords = Pick<Finding, 'code' | 'message' | 'fix'>;

const INDENT: ProblemWords = {
  code: 'yaml-indent',
  message: 'This line is not indented as its neighbours are.',
  fix: 'Indent keys of one level by the same number of spaces.',
};

/** Our words for the mistakes that people make most. */
const KNOWN: Readonly<Record<string, ProblemWords>> = {
  TAB_AS_INDENT: { code: 'yaml-tab', message: 'A tab is used as indentation.', fix: 'Indent with spaces.' },
  BAD_INDENT: INDENT,
  BLOCK_AS_IMPLICIT_KEY: {
    code: 'yaml-syntax',
    message: 'There is a second `:` where a plain text was expected.',
    fix: 'Put the text in quotes, or move what follows to an indented line.',
  },
  BAD_SCALAR_START: {
    code: 'yaml-syntax',
    message: 'A plain text cannot begin with this character.',
    fix: 'Put the text in quotes.',
  },
  BAD_DQ_ESCAPE: {
    code: 'yaml-syntax',
    message: 'This is no escape that YAML knows.',
    fix: 'Write `\\\\` for a backslash, or use single quotes.',
  },
  BAD_ALIAS: {
    code: 'yaml-alias',
    message: 'This alias cannot be read.',
    fix: 'Put the text in quotes if `*` or `&` is meant as it stands.',
  },
};

const WHY = 'Nothing of the file can be trusted before it reads as YAML.';

const ENDS: Readonly<Record<string, string>> = { '[': ']', '{': '}' };

const PLACEHOLDER_FIX = 'Compare with the lines around it: a quote, a bracket or a colon is missing or too many.';

export function toOpenFinding({ mark, isOutdented }: OpenMark): Finding {
  const end = ENDS[mark] ?? mark;
  return {
    code: isOutdented ? 'yaml-indent' : 'yaml-syntax',
    severity: 'error',
    message: isOutdented
      ? `Lines between this \`${mark}\` and its \`${end}\` are not indented enough.`
      : `This \`${mark}\` is never closed.`,
    why: WHY,
    fix: toOpenFix(mark, end, isOutdented),
  };
}

function toOpenFix(mark: string, end: string, isOutdented: boolean): string {
  if (isOutdented) return `Indent every line up to the \`${end}\` deeper than the key.`;
  return mark === end ? `Add \`${end}\` at the end of the text.` : `Add \`${end}\` behind the last entry.`;
}

export function toYamlFinding(problem: YamlProblem): Finding {
  const words = KNOWN[problem.code] ?? {
    code: 'yaml-syntax',
    message: `This is not valid YAML: ${problem.message}.`,
    fix: PLACEHOLDER_FIX,
  };
  return { ...words, severity: 'error', why: WHY };
}

/** A tag such as `!secret` that means nothing here. */
export function toTagFinding(problem: YamlProblem): Finding {
  return {
    code: 'yaml-tag',
    severity: 'warning',
    message: `This tag means nothing here: ${problem.message}.`,
    why: 'The value is read as if the tag were not there.',
    fix: 'Remove the tag, or put the text in quotes.',
  };
}

/** Findings about the text as a whole. */
export const TEXT_FINDINGS = {
  tooDeep: {
    code: 'yaml-too-deep',
    severity: 'error',
    message: 'The file is nested too deeply.',
    why: 'No setting needs more than a few levels; hundreds are a mistake or an attack.',
    fix: 'Look for a bracket or a dash that is repeated.',
  },
  tooManyAliases: {
    code: 'yaml-alias-bomb',
    severity: 'error',
    message: 'The aliases of the file stand for too much.',
    why: 'A few lines of aliases can stand for more than a machine can hold.',
    fix: 'Write the values out, or use fewer aliases.',
  },
  severalDocuments: {
    code: 'yaml-documents',
    severity: 'error',
    message: 'The file holds more than one YAML document.',
    why: 'Only one configuration can be read from a file; the others would be ignored.',
    fix: 'Remove the `---` line, or put what follows into a file of its own and name both with `-c`.',
  },
  noMap: {
    code: 'config-shape',
    severity: 'error',
    message: 'The file does not hold keys and values at its top level.',
    why: 'Every setting has a name.',
    fix: 'Write for example:\n\ncli:\n  backend: claude',
  },
} as const satisfies Record<string, Finding>;
