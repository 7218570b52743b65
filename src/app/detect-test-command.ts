import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '../core/index.ts';

/** How a project runs its tests, and the file that says so. */
export interface TestCommand {
  readonly command: string;
  /** The name of the file. */
  readonly from: string;
}

/** A file that tells of tests (where `says` is given: only with such a line in it), and the command that runs them. */
interface Trace {
  readonly file: string;
  readonly says?: RegExp;
  readonly command: string;
}

const TRACES: readonly Trace[] = [
  { file: 'Makefile', says: /^test[ \t]*:(?!=)/m, command: 'make test' },
  { file: 'justfile', says: /^test\b[^=\n]*:(?!=)/m, command: 'just test' },
  { file: 'Cargo.toml', command: 'cargo test' },
  { file: 'go.mod', command: 'go test ./...' },
  { file: 'pytest.ini', command: 'pytest -q' },
  { file: 'pyproject.toml', says: /pytest/, command: 'pytest -q' },
  { file: 'mix.exs', command: 'mix test' },
  { file: '.rspec', command: 'bundle exec rspec' },
  { file: 'gradlew', command: './gradlew test' },
  { file: 'pom.xml', command: 'mvn -q test' },
];

const PACKAGE = 'package.json';
const RUNNERS: readonly (readonly [lockFile: string, command: string])[] = [
  ['pnpm-lock.yaml', 'pnpm test'],
  ['yarn.lock', 'yarn test'],
  ['bun.lock', 'bun run test'],
  ['bun.lockb', 'bun run test'],
];
const MAX_BYTES = 1_000_000;

/** Finds out from the files of a folder how its tests are run; `null` where none tells. Nothing is started, and no text of theirs is used. */
export function detectTestCommand(cwd: string): TestCommand | null {
  if (hasTestScript(readText(join(cwd, PACKAGE)))) {
    const runner = RUNNERS.find(([lockFile]) => existsSync(join(cwd, lockFile)));
    return { command: runner?.[1] ?? 'npm test', from: PACKAGE };
  }
  const trace = TRACES.find(({ file, says }) => {
    const text = readText(join(cwd, file));
    return text !== null && (says === undefined || says.test(text));
  });
  return trace === undefined ? null : { command: trace.command, from: trace.file };
}

/** True for a script that ends by itself and is not what `npm init` leaves. */
function hasTestScript(text: string | null): boolean {
  const parsed = text === null ? undefined : parseJson(text);
  const scripts = isJsonObject(parsed) ? parsed['scripts'] : undefined;
  const script = isJsonObject(scripts) ? scripts['test'] : undefined;
  return typeof script === 'string' && script.trim() !== '' && !/no test specified|--watch/.test(script);
}

function readText(path: string): string | null {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= MAX_BYTES ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}
