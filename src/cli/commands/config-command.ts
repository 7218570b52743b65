import type { Command } from 'commander';
import { type EffectiveValue, toOriginText } from '../../config/effective/list-effective.ts';
import { renderSettingsYaml, toSettingsTree } from '../../config/effective/render-settings-yaml.ts';
import { renderDiagnostics } from '../../config/findings/diagnostics.ts';
import { createJsonSchema } from '../../config/keys/create-json-schema.ts';
import { checkConfig } from '../../validation/check-config.ts';
import { toPlainLine } from '../../views/text/plain-text.ts';
import { addExamples } from '../args/help.ts';
import { addConfigOptions, addFormatOption, addSettingFlags, type ConfigOptions, toConfigRequest } from '../args/options.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { CliCommand } from '../cli-command.ts';
import type { CliContext, CommandCall } from '../cli-context.ts';
import { isColoured, printJson, printLine, type Terminal } from '../terminal/terminal.ts';

export const configCommand: CliCommand = { declare, perform };

interface ConfigCommandFlags extends ConfigOptions {
  readonly origin?: boolean;
  readonly format: 'text' | 'json' | 'yaml';
}

function declare(command: Command): void {
  command.argument('[what]', '`show` (the default): the settings in force; `schema`: the JSON Schema of a configuration');
  addConfigOptions(command);
  addSettingFlags(command);
  command.option('--origin', 'show where each setting came from');
  addFormatOption(
    command,
    ['text', 'json', 'yaml'],
    'text for people, json for programs, yaml for a configuration file with the same settings',
  );
  addExamples(command, [
    ['ralph config', 'the settings in force, as a configuration file'],
    ['ralph config show --origin', 'each with the file and line, variable or flag that it came from'],
    ['ralph config show --origin -c cli.model=opus', 'what one more setting changes'],
    ['ralph config show --format json | jq .settings.event_loop', 'for programs'],
    ['ralph config schema > ralph.schema.json', 'for editors that complete and check YAML'],
  ]);
}

async function perform(context: CliContext, call: CommandCall): Promise<number> {
  const [what = 'show'] = call.args;
  const flags = call.options as unknown as ConfigCommandFlags;
  if (what === 'schema') return printSchema(context.terminal);
  if (what === 'show') return showSettings(context, flags);
  throw createUsageError(
    `\`ralph config\` knows no ${JSON.stringify(what.slice(0, 60))}.`,
    'Type: ralph config show, or: ralph config schema',
  );
}

async function showSettings(context: CliContext, flags: ConfigCommandFlags): Promise<number> {
  const { terminal } = context;
  if (flags.origin === true && flags.format === 'yaml')
    throw createUsageError('--origin has no place in YAML.', 'Leave --format out, or take --format json.');
  const { settings, files, diagnostics, listEffective } = checkConfig({ ...toConfigRequest(context, flags), prompt: 'optional' });
  if (settings === null) {
    terminal.err(`${renderDiagnostics(diagnostics, { color: isColoured(terminal.errStyle) })}\n`);
    return 1;
  }
  const values = listEffective();
  if (flags.format === 'json') printJson(terminal, { v: 1, files, settings: toSettingsTree(values), values: values.map(toRecord) });
  else if (flags.origin === true) printOrigins(terminal, values);
  else terminal.out(renderSettingsYaml(values));
  return 0;
}

function toRecord({ path, value, origin }: EffectiveValue): object {
  const { from } = origin;
  if (from === 'default') return { key: toKeyText(path), value, origin: { from } };
  if (from !== 'file') return { key: toKeyText(path), value, origin: { from, name: origin.name } };
  const { file, line, column } = origin.span;
  return { key: toKeyText(path), value, origin: { from, file, line, column } };
}

const MAX_VALUE = 60;

function printOrigins(terminal: Terminal, values: readonly EffectiveValue[]): void {
  const rows = values.map(
    (entry) => [`${toKeyText(entry.path)} = ${toValueText(entry)}`, toPlainLine(toOriginText(entry.origin), 200)] as const,
  );
  const width = Math.max(0, ...rows.map(([setting]) => setting.length));
  for (const [setting, origin] of rows) printLine(terminal, `${setting.padEnd(width)}  ${terminal.style('faint', origin)}`);
}

function toValueText({ value }: EffectiveValue): string {
  return toPlainLine(typeof value === 'string' ? value : JSON.stringify(value), MAX_VALUE);
}

function toKeyText(path: EffectiveValue['path']): string {
  const parts = path.map((step) =>
    typeof step === 'number' ? `[${step}]` : `.${/^[A-Za-z0-9_-]+$/.test(step) ? step : JSON.stringify(toPlainLine(step, 100))}`,
  );
  return parts.join('').slice(1);
}

function printSchema(terminal: Terminal): number {
  printJson(terminal, createJsonSchema(), 2);
  return 0;
}
