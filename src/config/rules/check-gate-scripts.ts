import { quote } from '../findings/diagnostics.ts';
import type { Diagnostic } from '../findings/located.ts';
import { findingAt, type Rule } from './rule.ts';

const MAX_GATES = 50;
/** Programs whose first argument that is no option is the script. */
const INTERPRETERS = ['sh', 'bash', 'dash', 'zsh', 'node', 'deno', 'bun', 'tsx', 'python', 'python3', 'ruby', 'perl', 'php'];
const SCRIPT = /^[\w.-][\w./-]*\.(?:sh|bash|zsh|[cm]?[jt]s|py|rb|pl|php)$/;
/** Files of dependencies: nobody here writes them. */
const FOREIGN = /(?:^|\/)(?:node_modules|\.venv|venv|vendor)\//;

/** Scripts of the project that a gate runs are protected: an agent that may write them could make them always succeed. */
export const checkGateScripts: Rule = (input) => {
  const protect = input.declared.protect ?? [];
  return (input.declared.gates ?? []).slice(0, MAX_GATES).flatMap(({ run = '' }, index): readonly Diagnostic[] => {
    const [script] = findScripts(run).filter((path) => !isProtected(path, protect));
    if (script === undefined) return [];
    const finding = {
      code: 'gate-script-unprotected',
      severity: 'hint',
      message: `The gate runs ${quote(script)}, which agents may change.`,
      why: 'An agent that cannot satisfy a check may weaken it instead; then its evidence is worth nothing.',
      fix: `Pin it, with whatever else decides about the check:\n\nprotect:\n  - ${script}`,
    } as const;
    return [findingAt(input, [...input.toItemPath(['gates'], index), 'run'], finding)];
  });
};

/** The scripts that a command line names by path, without `./`. */
function findScripts(run: string): readonly string[] {
  return run
    .slice(0, 2000)
    .split(/&&|\|\||[;|\n]/)
    .flatMap((part) => {
      const words = part.trim().split(/\s+/);
      const [program = '', ...rest] = words.slice(words.findIndex((word) => !/^\w+=/.test(word)));
      const script = INTERPRETERS.includes(program) ? rest.find((word) => !word.startsWith('-')) : program;
      const isScript = script !== undefined && (INTERPRETERS.includes(program) ? SCRIPT.test(toPlain(script)) : isPath(script));
      return isScript && script !== undefined && !FOREIGN.test(script) ? [toPlain(script)] : [];
    });
}

function isPath(word: string): boolean {
  return /^(?:\.\/)?[\w.-]+(?:\/[\w.-]+)*$/.test(word) && word.includes('/') && !word.startsWith('../') && !word.endsWith('...');
}

function toPlain(path: string): string {
  return path.replace(/^\.\//, '');
}

/** Whether a glob covers a path, as far as can be told without a matcher: a path with the same beginning counts as covered. */
function isProtected(path: string, globs: readonly string[]): boolean {
  return globs.some((glob) => {
    const clean = toPlain(glob.trim()).replace(/\/+$/, '');
    const fixed = clean.slice(0, clean.search(/[*?[{!]|$/));
    return clean === path || path.startsWith(`${clean}/`) || (fixed !== clean && path.startsWith(fixed));
  });
}
