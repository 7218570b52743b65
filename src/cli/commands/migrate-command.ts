import { constants, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Diagnostic } from '../../config/findings/located.ts';
import type { Migration } from '../../config/foreign/migrate-text.ts';
import { toShellWord } from '../../core/text/shell-word.ts';
import { RalphError, toErrorCode } from '../../core/values/errors.ts';
import { accept } from '../../core/values/result.ts';
import { cleanText, toPlainLine } from '../../views/text/plain-text.ts';
import { addExamples, addNote } from '../args/help.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { CliCommand } from '../cli-command.ts';
import type { CliContext } from '../cli-context.ts';
import { printLine } from '../terminal/terminal.ts';

type Config = typeof import('../../config/index.ts');

const MAX_BYTES = 10_000_000;

export const migrateCommand: CliCommand = {
  declare: (command) => {
    command
      .argument('<file>', 'a configuration of another tool, or an old one')
      .option('-o, --output <file>', 'write to this file instead of standard output; it must not exist')
      .option('--write', 'overwrite the file itself; the old text is kept beside it as FILE.old (or .old2, …)');
    addNote(
      command,
      'Many configurations of ralph-orchestrator also run as they are: ralph run -c FILE. The agents of MassGen become a panel that wears one hat, with their hooks. Comments are kept. A text with errors is printed and never written to a file.\nExit code 1: something is left to change by hand.',
    );
    addExamples(command, [
      ['ralph migrate old/ralph.yml', 'print the new configuration, list what changed'],
      ['ralph migrate old/ralph.yml -o ralph.yml', 'the same, into a file'],
      ['ralph migrate ralph.yml --write', 'rewrite it, keep ralph.yml.old'],
    ]);
  },
  perform: async (context, { args, options }) => {
    const file = args[0] ?? '';
    const output = typeof options['output'] === 'string' ? options['output'] : null;
    const isInPlace = options['write'] === true;
    if (output !== null && isInPlace) throw createUsageError('--output and --write cannot be used together.', 'Leave one of them out.');
    const path = resolve(context.cwd, file);
    const config = await import('../../config/index.ts');
    const text = readText(config, path, file);
    const migration = await config.migrateText(text, file);
    const { outcome } = migration;
    if (outcome !== 'migrated' && outcome !== 'same') return reportNothing(context, migration, file, config);
    const target = output ?? (isInPlace ? file : null);
    const findings = await checkText(context, migration.text, resolve(context.cwd, target ?? file), config);
    const errors = findings.filter(({ severity }) => severity === 'error');
    const isWritten = target !== null && errors.length === 0 && (outcome === 'migrated' || output !== null);
    if (isWritten || target === null) await deliver(context, migration, { path, shown: file, output, isInPlace });
    const toChange = [...migration.left, ...findings.filter(({ code }) => TO_CHANGE.includes(code))];
    reportChanges(context, { ...migration, left: toChange }, file, isWritten ? target : null);
    if (errors.length > 0) reportErrors(context, config.renderDiagnostics(errors), errors.length, { file, target });
    else context.terminal.err(`Next: ${toNext(isWritten ? target : null, file, outcome)}\n`);
    return errors.length > 0 || toChange.length > 0 || (migration.unheld ?? []).length > 0 ? 1 : 0;
  },
};

/** What comes next: where the new text was only printed, it is to be written first. */
function toNext(written: string | null, file: string, outcome: Migration['outcome']): string {
  const validated = written ?? (outcome === 'same' ? file : null);
  if (validated !== null) return `ralph validate ${toShellWord(validated)}`;
  const how = file === 'ralph.yml' ? '--write' : '-o ralph.yml';
  return `write it, with ralph migrate ${toShellWord(file)} ${how}, then ralph validate`;
}

/** Findings that are no errors and yet mean that something of the old file has no effect. */
const TO_CHANGE: readonly string[] = ['key-unknown', 'instruction-command'];

function readText({ readTextFile }: Config, path: string, shown: string): string {
  const file = readTextFile(path, MAX_BYTES);
  if (file.ok) return file.value;
  throw new RalphError({
    code: 'migrate-unreadable',
    what: `The file ${JSON.stringify(shown)} cannot be read: ${file.refused.message}.`,
    fix: file.refused.kind === 'encoding' ? 'Save it as UTF-8.' : 'Correct the path.',
    exitCode: 2,
  });
}

async function reportNothing({ terminal }: CliContext, migration: Migration, file: string, { renderDiagnostics }: Config): Promise<number> {
  const shown = toPlainLine(file, 200);
  const stuck = migration.outcome === 'stuck' ? `\n${shown}: ${STUCK}\n` : '';
  terminal.err(`${renderDiagnostics(migration.diagnostics)}\n${stuck}`);
  return 1;
}

const STUCK =
  'nothing was written. An old or foreign form comes from an alias or `<<`, so it cannot be changed in its place. Change it by hand.';

interface Delivery {
  readonly path: string;
  /** The path as it was typed. */
  readonly shown: string;
  readonly output: string | null;
  readonly isInPlace: boolean;
}

async function deliver({ cwd, terminal }: CliContext, { text }: Migration, { path, shown, output, isInPlace }: Delivery): Promise<void> {
  if (!isInPlace && output === null) {
    printLine(terminal, terminal.isTty ? cleanText(text.trimEnd()) : text.trimEnd());
    return;
  }
  if (output !== null) return tryToWrite(output, () => writeFileSync(resolve(cwd, output), text, { flag: 'wx' }));
  const { findOldName, replaceFile } = await import('../../validation/index.ts');
  tryToWrite(shown, () => {
    const kept = findOldName(path);
    copyFileSync(path, kept, constants.COPYFILE_EXCL);
    try {
      replaceFile(path, text);
    } catch (error) {
      rmSync(kept, { force: true });
      throw error;
    }
  });
}

function tryToWrite(shown: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    const code = toErrorCode(error);
    throw new RalphError({
      code: 'migrate-output',
      what: `${JSON.stringify(shown)} cannot be written (${code}).`,
      fix:
        code === 'EEXIST'
          ? 'It exists already: choose another name, or remove it.'
          : 'Choose another place, or make the file and its folder writable.',
      exitCode: 2,
    });
  }
}

function reportChanges({ terminal }: CliContext, migration: Migration, file: string, written: string | null): void {
  const { outcome, changes, dropped, left, unheld = [] } = migration;
  const lines = [
    ...(outcome === 'same' && left.length === 0 ? [`${toPlainLine(file, 200)}: nothing to do, it is a current Ralph configuration.`] : []),
    ...(written === null ? [] : [`Written: ${written}.`]),
    ...changes.map((change) => `changed: ${change}`),
    ...dropped.map((text) => `dropped: ${text}`),
    ...unheld.map((text) => `left for you to change: ${text}`),
    ...left.map(({ message }) => `left for you to change: ${message}`),
  ];
  terminal.err(lines.map((line) => `${toPlainLine(line, 2000)}\n`).join(''));
}

/** What the text means at the place where it is to lie: files that it names are looked for from there. */
async function checkText({ cwd, env }: CliContext, text: string, path: string, config: Config): Promise<readonly Diagnostic[]> {
  const { checkConfig } = await import('../../validation/index.ts');
  const readText: typeof config.readTextFile = (asked, maxBytes, kind) =>
    resolve(asked) === path ? accept(text) : config.readTextFile(asked, maxBytes, kind);
  return checkConfig({ cwd, env, configFiles: [path], prompt: 'optional', readText }).diagnostics;
}

function reportErrors(
  { terminal }: CliContext,
  rendered: string,
  count: number,
  { file, target }: { readonly file: string; readonly target: string | null },
): void {
  const [errors, they] = count === 1 ? ['One error is', 'it is'] : [`${count} errors are`, 'they are'];
  const shown = toPlainLine(file, 200);
  const end =
    target === null
      ? `${errors} left: the configuration does not run until ${they} fixed.`
      : `Nothing was written: ${errors} left. Fix ${shown} and migrate it again, or print it and fix that: ralph migrate ${toShellWord(file)}`;
  terminal.err(`\n${rendered}\n\n${end}\n`);
}
