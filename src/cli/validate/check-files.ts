import { resolve } from 'node:path';
import type { Diagnostic } from '../../config/findings/located.ts';
import { findConfigFile } from '../../config/layers/read-config-file.ts';
import { type ReadText, readTextFile } from '../../config/layers/read-text-file.ts';
import { isRalphError, type RalphError } from '../../core/values/errors.ts';
import { accept } from '../../core/values/result.ts';
import { type CheckedConfig, checkConfig, createAgentLook } from '../../validation/check-config.ts';
import type { MadeRepair } from '../../validation/repair-config.ts';
import { type ConfigOptions, toConfigRequest } from '../args/options.ts';
import type { CliContext } from '../cli-context.ts';

/** What the command line says about what is to be checked. */
export interface ValidateFlags extends ConfigOptions {
  readonly format: 'human' | 'json' | 'sarif' | 'github';
  readonly strict?: boolean;
  readonly fix?: boolean;
  readonly fixAll?: boolean;
  readonly watch?: boolean;
  readonly stdinName?: string;
}

export interface Target {
  /** As it was named; as it is shown. */
  readonly name: string;
  readonly request: Parameters<typeof checkConfig>[0];
}

export interface CheckedTarget {
  readonly name: string;
  readonly checked: Pick<CheckedConfig, 'coordination' | 'diagnostics' | 'topology'>;
  /** The error, where a file that was named is not there or cannot be read. */
  readonly refusal: RalphError | null;
  /** What `--fix` has changed. */
  readonly made: readonly MadeRepair[];
}

/** What a folder without a configuration of its own is called. */
export const NO_FILE = '(defaults)';

/** What is to be checked: each file that was named on its own, or the folder's own configuration. */
export async function listTargets(context: CliContext, files: readonly string[], flags: ValidateFlags): Promise<readonly Target[]> {
  // What is missing on the machine that scans is no finding about the code.
  const isForPeople = flags.format !== 'sarif' && flags.format !== 'github';
  const base = {
    ...toConfigRequest(context, flags),
    ...(isForPeople ? { agents: await createAgentLook(context.env, context.cwd) } : {}),
  };
  const toTarget = (name: string, file: string | null, readText?: ReadText): Target => ({
    name,
    request: {
      ...base,
      prompt: 'optional',
      configFiles: file === null ? base.configFiles : [file, ...base.configFiles],
      ...(readText === undefined ? {} : { readText }),
    },
  });
  if (files.length === 0) return [toTarget(nameOf(context, base.configFiles), null)];
  const stdinName = flags.stdinName ?? '<stdin>';
  const stdin = files.includes('-') ? await context.readStdin() : '';
  return files.map((file) =>
    file === '-' ? toTarget(stdinName, stdinName, readStdin(resolve(context.cwd, stdinName), stdin)) : toTarget(file, file),
  );
}

/** Checks one configuration. What is wrong outside of it (a missing file) is a refusal, shown as a finding too. */
export function checkTarget({ name, request }: Target): CheckedTarget {
  try {
    const checked = checkConfig(request);
    return { name, checked: { ...checked, diagnostics: renameFile(checked.diagnostics, name, request.cwd) }, refusal: null, made: [] };
  } catch (error) {
    if (!isRalphError(error)) throw error;
    return toRefusedTarget(name, error);
  }
}

/** A configuration that could not be looked at. */
export function toRefusedTarget(name: string, refusal: RalphError): CheckedTarget {
  const { code, message, why = '', fix = '' } = refusal;
  const place = { file: name, line: 1, column: 1, endLine: 1, endColumn: 2, excerpt: { text: '', column: 1 } };
  const finding: Diagnostic = { code, severity: 'error', message, why, fix, ...place };
  return { name, checked: { coordination: null, topology: null, diagnostics: [finding] }, refusal, made: [] };
}

/** Findings about a file carry the name under which it was given. */
export function renameFile(diagnostics: readonly Diagnostic[], name: string, cwd: string): readonly Diagnostic[] {
  const path = resolve(cwd, name);
  const toName = (file: string): string => (file !== name && resolve(cwd, file) === path ? name : file);
  return diagnostics.map((finding) => ({
    ...finding,
    file: toName(finding.file),
    ...(finding.related === undefined ? {} : { related: finding.related.map((span) => ({ ...span, file: toName(span.file) })) }),
  }));
}

function nameOf({ cwd, env }: CliContext, configFiles: readonly string[]): string {
  const variable = env['RALPH_CONFIG'] ?? '';
  if (configFiles.length > 0) return configFiles.join(' + ');
  return variable === '' ? (findConfigFile(cwd) ?? NO_FILE) : variable;
}

function readStdin(path: string, text: string): ReadText {
  return (asked, maxBytes, kind) => (resolve(asked) === path ? accept(text.replace(/^\uFEFF/, '')) : readTextFile(asked, maxBytes, kind));
}
