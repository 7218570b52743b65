import { renderDiagnostics, type Settings } from '../../config/index.ts';
import { type BackendSpec, COORDINATION_GROUP, type ProfilePolicy, RALPH } from '../../core/index.ts';
import { checkConfig } from '../../validation/index.ts';
import { toPlainLine } from '../../views/index.ts';
import { addExamples, type CliCommand, type CommandCall } from '../cli-command.ts';
import type { CliContext } from '../cli-context.ts';
import { addConfigOptions, type ConfigOptions, toConfigRequest } from '../config-options.ts';
import { addFormatOption } from '../format-option.ts';
import { untilStopped } from '../live/until-stopped.ts';
import { findNearMiss } from '../near-miss.ts';
import { printProse } from '../print-prose.ts';
import { printTable } from '../print-table.ts';
import { printJson, printLine, type Terminal } from '../terminal.ts';
import { listToolRows, type ToolRow } from '../tools/list-tool-rows.ts';
import { createUsageError } from '../usage-error.ts';

/** `ralph tools`. */
export const toolsCommand: CliCommand = {
  declare: (command) => {
    command
      .option('--hat <hat>', 'what this hat may use, and why')
      .option('--profile <profile>', 'what this profile makes of them, whoever has it');
    command.option('--servers', 'starts the MCP servers and lists their tools, too');
    addConfigOptions(command);
    addFormatOption(command, ['table', 'json'], 'table for people, json for programs: one object a line');
    addExamples(command, [
      ['ralph tools', 'every tool with its hints, the profiles that offer it, and what is missing here'],
      ['ralph tools --profile critic', 'what a profile lets in, and why the rest is out'],
      ['ralph tools --hat reviewer', 'the same for a hat of this folder'],
      ['ralph tools --hat critic --hats preset:hats', 'for a hat of a preset'],
      ['ralph tools --profile critic --servers', 'with the tools of the MCP servers, one by one'],
      ['ralph tools --format json | jq -r .tool', 'for programs'],
    ]);
  },
  perform,
};

interface ToolsFlags extends ConfigOptions {
  readonly hat?: string;
  readonly profile?: string;
  readonly servers?: boolean;
  readonly format: 'table' | 'json';
}

/** Whose tools are asked for; `null`: nobody's in particular. */
interface Asked {
  readonly hat: string | null;
  readonly profile: string | null;
  readonly policy: ProfilePolicy | null;
  /** The agent that wears the hat; absent where no hat is asked about. */
  readonly spec?: BackendSpec;
}

async function perform(context: CliContext, { options }: CommandCall): Promise<number> {
  const flags = options as unknown as ToolsFlags;
  if (flags.hat !== undefined && flags.profile !== undefined) {
    throw createUsageError('Either a hat or a profile.', 'A hat has its profile already: leave --profile out.');
  }
  const { terminal } = context;
  const { settings, diagnostics } = checkConfig({ ...toConfigRequest(context, flags), prompt: 'optional' });
  if (settings === null) {
    terminal.err(`${renderDiagnostics(diagnostics, { color: terminal.errStyle('heading', 'x') !== 'x' })}\n`);
    return 1;
  }
  const asked = findAsked(settings, flags);
  const { listNativeTools } = await context.loadApp();
  const { cwd, env } = context;
  const place = { cwd, env, ...(asked?.spec === undefined ? {} : { spec: asked.spec }) };
  // Servers are programs: whoever stops the command stops them, too.
  const { result: facts, stoppedBy } = await untilStopped(context, (signal) =>
    listNativeTools(settings, flags.servers === true ? { ...place, askServers: signal } : place),
  );
  if (stoppedBy !== null) return stoppedBy;
  for (const warning of facts.warnings) terminal.err(`${toPlainLine(warning, 400)}\n`);
  const rows = listToolRows(settings, { policy: asked?.policy ?? null, isNative: asked?.spec?.type === 'native' }, facts);
  if (flags.format === 'json') for (const row of rows) printJson(terminal, toRecord(row, asked));
  else printRows(terminal, rows, asked);
  return 0;
}

function findAsked({ policies, profileNames, profiles, backends }: Settings, { hat, profile }: ToolsFlags): Asked | null {
  if (hat !== undefined) {
    if (!Object.hasOwn(policies, hat)) throw createUnknown('hat', hat, Object.keys(policies));
    const [spec] = backends[hat] ?? [];
    return { hat, profile: profileNames[hat] ?? null, policy: policies[hat] ?? null, ...(spec === undefined ? {} : { spec }) };
  }
  if (profile === undefined) return null;
  const policy = Object.hasOwn(profiles, profile) ? profiles[profile] : undefined;
  if (policy === undefined) throw createUnknown('profile', profile, Object.keys(profiles));
  return { hat: null, profile, policy };
}

function createUnknown(kind: 'hat' | 'profile', name: string, known: readonly string[]): Error {
  const near = findNearMiss(name, known);
  return createUsageError(
    `There is no ${kind} ${JSON.stringify(name.slice(0, 80))}${near === undefined ? '.' : `: did you mean ${near}?`}`,
    `The ${kind}s are: ${known.slice(0, 20).join(', ')}${known.length > 20 ? ', …' : ''}`,
  );
}

function toRecord({ card, isOffered, why, profiles, missing }: ToolRow, asked: Asked | null): object {
  const verdict = asked === null ? { profiles } : { offered: isOffered, why, hat: asked.hat, profile: asked.profile };
  return { v: 1, tool: card.name, group: card.group, hints: card.hints, description: card.description, missing, ...verdict };
}

const HINTS = ['reads only', 'may destroy', 'repeatable', 'goes outside'];

function printRows(terminal: Terminal, rows: readonly ToolRow[], asked: Asked | null): void {
  const verdict = asked === null ? ['profiles'] : ['is', 'why'];
  printTable(
    terminal,
    ['tool', 'group', ...HINTS, ...verdict],
    rows.map((row) => toCells(row, asked !== null)),
  );
  printMissing(terminal, rows);
  if (asked === null) {
    printProse(terminal, '\nOne profile or hat, and why each tool is in or out: ralph tools --profile NAME, ralph tools --hat HAT');
    return;
  }
  const offered = rows.filter((row) => row.isOffered).length;
  printLine(terminal, `\n${toTitle(asked)}: ${offered} of ${rows.length} tools`);
}

/** What is out by its own reason is told in its row already. */
function printMissing(terminal: Terminal, rows: readonly ToolRow[]): void {
  const gone = rows.filter(({ missing, isOffered }) => missing !== null && isOffered);
  if (gone.length > 0) printLine(terminal, '');
  for (const { card, missing } of gone)
    printProse(terminal, `The native agent does not have ${card.name} here: ${toPlainLine(missing ?? '', 200)}`);
}

function toTitle({ hat, profile }: Asked): string {
  if (hat === null) return `Profile ${toPlainLine(profile ?? '', 60)}`;
  const who = hat === RALPH ? 'Ralph' : `Hat ${toPlainLine(hat, 60)}`;
  return profile === null ? `${who} has no profile, nothing is held back` : `${who} has the profile ${toPlainLine(profile, 60)}`;
}

function toCells({ card, isOffered, why, profiles }: ToolRow, isAsked: boolean): readonly string[] {
  const { readOnly, destructive, idempotent, openWorld } = card.hints;
  // What changes nothing neither destroys nor matters when it is repeated (MCP).
  const hints = [toWord(readOnly), readOnly ? '-' : toWord(destructive), readOnly ? '-' : toWord(idempotent), toWord(openWorld)];
  const names = card.group === COORDINATION_GROUP ? 'all' : profiles.map((name) => toPlainLine(name, 30)).join(', ') || 'none';
  return [card.name, card.group, ...hints, ...(isAsked ? [isOffered ? 'in' : 'out', toPlainLine(why, 100)] : [names])];
}

function toWord(flag: boolean): string {
  return flag ? 'yes' : 'no';
}
