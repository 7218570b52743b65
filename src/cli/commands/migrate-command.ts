import { readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { isRalphError, RalphError, toErrorCode } from '../../core/index.ts';
import { addExamples, type CliCommand } from '../cli-command.ts';
import type { CliContext } from '../cli-context.ts';
import { printLine } from '../terminal.ts';
import { createUsageError } from '../usage-error.ts';

type Config = typeof import('../../config/index.ts');
type Migration = Awaited<ReturnType<Config['migrateText']>>;

const MAX_BYTES = 10_000_000;

/** `ralph migrate`. */
export const migrateCommand: CliCommand = {
  declare: (command) => {
    command
      .argument('<file>', 'a configuration of another tool, or an old one')
      .option('-o, --output <file>', 'write it there instead of to standard output; the file must not exist')
      .option('--write', 'write it over the file itself; the old text is kept beside it as FILE.old');
    command.addHelpText('after', '\nConfigurations of ralph-orchestrator also run as they are: ralph run -c FILE. Comments are kept.');
    addExamples(command, [
      ['ralph migrate old/ralph.yml', 'print it in our words, list what changed'],
      ['ralph migrate old/ralph.yml -o ralph.yml', 'the same, into a file'],
      ['ralph migrate ralph.yml --write', 'rewrite it, keep ralph.yml.old'],
    ]);
  },
  perform: async (context, { args, options }) => {
    const file = args[0] ?? '';
    const output = typeof options['output'] === 'string' ? options['output'] : null;
    const isInPlace = options['write'] === true;
    if (output !== null && isInPlace) throw createUsageError('--output and --write exclude each other.', 'Leave one of them out.');
    const path = resolve(context.cwd, file);
    const text = readText(path, file);
    const config = await import('../../config/index.ts');
    const migration = await config.migrateText(text, file);
    if (migration.outcome !== 'migrated') return reportNothing(context, migration, file, config);
    await deliver(context, migration, { path, output, isInPlace });
    return reportChanges(context, migration, output ?? (isInPlace ? file : null));
  },
};

function readText(path: string, shown: string): string {
  try {
    if (statSync(path).size > MAX_BYTES) throw toUnreadable(shown, 'it is larger than 10 MB');
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isRalphError(error)) throw error;
    throw toUnreadable(shown, toErrorCode(error));
  }
}

function toUnreadable(shown: string, reason: string): RalphError {
  return new RalphError({
    code: 'migrate-unreadable',
    what: `The file ${JSON.stringify(shown)} cannot be read (${reason}).`,
    fix: 'Correct the path.',
    exitCode: 2,
  });
}

async function reportNothing({ terminal }: CliContext, migration: Migration, file: string, { renderDiagnostics }: Config): Promise<number> {
  if (migration.outcome === 'same') {
    terminal.err(`${file}: nothing to do, it is written our way.\n`);
    return 0;
  }
  if (migration.outcome === 'massgen') {
    terminal.err(`${file}: ${MASSGEN}\n`);
    return 1;
  }
  terminal.err(`${renderDiagnostics(migration.diagnostics)}\n`);
  return 1;
}

const MASSGEN = [
  'this is a configuration of MassGen. Nothing was written.',
  'Its agents answer side by side, see each other and vote: that is a panel, and panels are not part of this version.',
  'Once they are, `ralph migrate` makes one hat of it that is worn by a panel of these agents, with their models, system messages and hooks.',
  'Until then a team that is near to it: ralph init --preset fresh-eyes',
].join('\n');

interface Delivery {
  readonly path: string;
  readonly output: string | null;
  readonly isInPlace: boolean;
}

async function deliver({ cwd, terminal }: CliContext, { text }: Migration, { path, output, isInPlace }: Delivery): Promise<void> {
  if (!isInPlace && output === null) {
    printLine(terminal, text.trimEnd());
    return;
  }
  const { copyFileSync, renameSync, writeFileSync } = await import('node:fs');
  if (output !== null) {
    writeNew(resolve(cwd, output), output, (target) => writeFileSync(target, text, { flag: 'wx' }));
    return;
  }
  copyFileSync(path, `${path}.old`);
  const fresh = resolve(path, '..', `.${basename(path)}.${process.pid}`);
  writeFileSync(fresh, text);
  renameSync(fresh, path);
}

function writeNew(target: string, shown: string, write: (target: string) => void): void {
  try {
    write(target);
  } catch (error) {
    const code = toErrorCode(error);
    throw new RalphError({
      code: 'migrate-output',
      what: `${JSON.stringify(shown)} cannot be written (${code}).`,
      fix: code === 'EEXIST' ? 'It is there already: choose another name, or remove it.' : 'Choose another place.',
      exitCode: 2,
    });
  }
}

function reportChanges({ terminal }: CliContext, { changes, dropped }: Migration, written: string | null): number {
  const lines = [
    ...(written === null ? [] : [`Written: ${written}.`]),
    ...changes.map((change) => `changed: ${change}`),
    ...dropped.map((text) => `dropped: ${text}`),
    `Next: ralph validate${written === null ? '' : ` ${written}`}`,
  ];
  terminal.err(`${lines.join('\n')}\n`);
  return 0;
}
