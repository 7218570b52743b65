import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isRalphError, type RalphError } from '../core/values/errors.ts';
import { hasErrors } from './findings/diagnostics.ts';
import type { Diagnostic } from './findings/located.ts';
import { type LoadRequest, readConfig } from './load-config.ts';
import type { Settings } from './settings.ts';

/** A temporary folder with files in it, for the time of one call. */
export function inFolder<Result>(files: Readonly<Record<string, string | Uint8Array>>, use: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-config-'));
  try {
    for (const [name, contents] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), contents);
    }
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a run would be started with as far as `config` can say; the flow of events is not looked at. */
export interface LoadedSettings {
  readonly settings: Settings | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Loads a configuration for a run. */
export function loadSettings(request: LoadRequest & { readonly prompt?: 'optional' }): LoadedSettings {
  const { draft, diagnostics, requirePrompt } = readConfig(request);
  if (draft === null || hasErrors(diagnostics)) return { settings: null, diagnostics };
  if (request.prompt !== 'optional') requirePrompt();
  return { settings: draft, diagnostics };
}

/** Loads a text as `ralph.yml`, with a prompt on the command line. */
export function loadText(yaml: string, request: Partial<LoadRequest> & { readonly prompt?: 'optional' } = {}): LoadedSettings {
  return inFolder({ 'ralph.yml': yaml }, (cwd) => loadSettings({ cwd, flags: { prompt: 'Do it.' }, ...request }));
}

/** The settings of a text that has no errors. */
export function settingsOf(yaml: string, request: Partial<LoadRequest> & { readonly prompt?: 'optional' } = {}): Settings {
  const { settings, diagnostics } = loadText(yaml, request);
  if (settings === null) throw new Error(`unexpected findings: ${diagnostics.map((diagnostic) => diagnostic.message).join(' ')}`);
  return settings;
}

/** The findings of a text, each as `severity code token`, the token being the text at its place. */
export function findingsOf(yaml: string): readonly string[] {
  return loadText(yaml).diagnostics.map((diagnostic) => `${diagnostic.severity} ${diagnostic.code} ${tokenAt(yaml, diagnostic)}`);
}

/** The text at the place of a finding. */
export function tokenAt(text: string, diagnostic: Pick<Diagnostic, 'line' | 'column' | 'endLine' | 'endColumn'>): string {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  return diagnostic.line === diagnostic.endLine
    ? (lines[diagnostic.line - 1] ?? '').slice(diagnostic.column - 1, diagnostic.endColumn - 1)
    : '(lines)';
}

/** What a call refuses with. */
export function refusalOf(call: () => unknown): RalphError {
  try {
    call();
  } catch (error) {
    if (isRalphError(error)) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
