import { renderDiagnostics } from '../../config/findings/diagnostics.ts';
import type { Settings } from '../../config/settings.ts';
import type { BackendSpec } from '../../core/backends/backend-spec.ts';
import { RALPH } from '../../core/events/reserved.ts';
import { BUILT_IN_CARDS } from '../../core/tools/built-in-cards.ts';
import { toServerToolName } from '../../core/tools/server-tool-name.ts';
import { HARMLESS_HINTS, PESSIMISTIC_HINTS, type ToolCard } from '../../core/tools/tool-card.ts';
import { COORDINATION_GROUP, type ProfilePolicy, resolveProfile, type ToolVerdict } from '../../core/tools/tool-profiles.ts';
import { readOwn } from '../../core/values/json.ts';
import { checkConfig } from '../../validation/check-config.ts';
import { toPlainLine } from '../../views/text/plain-text.ts';
import { addExamples } from '../args/help.ts';
import { addConfigOptions, addFormatOption, type ConfigOptions, toConfigRequest } from '../args/options.ts';
import { createUnknownNameError, createUsageError } from '../args/usage-error.ts';
import type { AppContext, CliCommand } from '../cli-command.ts';
import type { CommandCall } from '../cli-context.ts';
import { untilStopped } from '../live/signals.ts';
import { printProse, printTable } from '../terminal/print.ts';
import { isColoured, printJson, printLine, type Terminal } from '../terminal/terminal.ts';

export const toolsCommand: CliCommand = {
  declare: (command) => {
    command
      .option('--hat <hat>', 'show what this hat may use, and why')
      .option('--profile <profile>', 'show what this profile allows, whoever has it');
    command.option('--servers', 'start the MCP servers and list their tools, too');
    addConfigOptions(command);
    addFormatOption(command, ['table', 'json'], 'table for people, json for programs: one object per line');
    addExamples(command, [
      ['ralph tools', 'every tool with its hints and the profiles that offer it, and what is missing here'],
      ['ralph tools --profile critic', 'what a profile allows, and why not the rest'],
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
interface ToolsOwner {
  readonly hat: string | null;
  readonly profile: string | null;
  readonly policy: ProfilePolicy | null;
  /** The agent that wears the hat; absent where no hat is asked about. */
  readonly spec?: BackendSpec;
}

async function perform(context: AppContext, { options }: CommandCall): Promise<number> {
  const flags = options as unknown as ToolsFlags;
  if (flags.hat !== undefined && flags.profile !== undefined) {
    throw createUsageError('Give either a hat or a profile.', 'A hat has its profile already: leave --profile out.');
  }
  const { terminal } = context;
  const { settings, diagnostics } = checkConfig({ ...toConfigRequest(context, flags), prompt: 'optional' });
  if (settings === null) {
    terminal.err(`${renderDiagnostics(diagnostics, { color: isColoured(terminal.errStyle) })}\n`);
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

function findAsked({ policies, profileNames, profiles, backends }: Settings, { hat, profile }: ToolsFlags): ToolsOwner | null {
  if (hat !== undefined) {
    if (!Object.hasOwn(policies, hat)) throw createUnknown('hat', hat, Object.keys(policies));
    const [spec] = backends[hat] ?? [];
    return { hat, profile: profileNames[hat] ?? null, policy: policies[hat] ?? null, ...(spec === undefined ? {} : { spec }) };
  }
  if (profile === undefined) return null;
  const policy = readOwn(profiles, profile);
  if (policy === undefined) throw createUnknown('profile', profile, Object.keys(profiles));
  return { hat: null, profile, policy };
}

function createUnknown(kind: 'hat' | 'profile', name: string, known: readonly string[]): Error {
  const fix = `The ${kind}s are: ${known.slice(0, 20).join(', ')}${known.length > 20 ? ', …' : ''}`;
  return createUnknownNameError(`no ${kind}`, name, known, fix);
}

function toRecord({ card, isOffered, why, profiles, missing }: ToolRow, asked: ToolsOwner | null): object {
  const verdict = asked === null ? { profiles } : { offered: isOffered, why, hat: asked.hat, profile: asked.profile };
  return { v: 1, tool: card.name, group: card.group, hints: card.hints, description: card.description, missing, ...verdict };
}

const HINTS = ['reads only', 'may destroy', 'repeatable', 'goes outside'];

function printRows(terminal: Terminal, rows: readonly ToolRow[], asked: ToolsOwner | null): void {
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

function toTitle({ hat, profile }: ToolsOwner): string {
  if (hat === null) return `Profile ${toPlainLine(profile ?? '', 60)}`;
  const who = hat === RALPH ? 'Ralph' : `Hat ${toPlainLine(hat, 60)}`;
  return profile === null ? `${who} has no profile, so nothing is withheld` : `${who} has the profile ${toPlainLine(profile, 60)}`;
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

interface ToolRow extends ToolVerdict {
  /** The profiles that offer it, built-in ones first. */
  readonly profiles: readonly string[];
  /** Why the native agent does not have it here, whatever its profile says; `null` where it has. */
  readonly missing: string | null;
}

interface ToolsAsked {
  /** `null`: no profile, everything is offered. */
  readonly policy: ProfilePolicy | null;
  /** Whether the native agent wears the hat: what it does not have here is then out. */
  readonly isNative: boolean;
}

interface ToolFacts {
  /** Those of the user's own, and those of MCP servers that were asked. */
  readonly cards: readonly ToolCard[];
  /** The servers that were asked and answered. */
  readonly servers: readonly string[];
  /** By name, why the native agent does not have a tool here. */
  readonly missing: Readonly<Record<string, string>>;
}

/**
 * One row for each built-in tool, for each of the user's own, for each of an MCP server that was asked, and else one for those of a server that the
 * person vouches for and one for all others: which these are is known when it runs.
 */
function listToolRows(
  { profiles, mcpServers }: Pick<Settings, 'profiles' | 'mcpServers'>,
  { policy, isNative }: ToolsAsked,
  facts: ToolFacts,
): readonly ToolRow[] {
  const silent = mcpServers.filter(({ name }) => !facts.servers.includes(name));
  const cards = [...BUILT_IN_CARDS, ...facts.cards, ...silent.flatMap(toServerCards)];
  const doubtful = new Set(silent.flatMap(({ name, trustsAnnotations }) => (trustsAnnotations ? [toAllName(name)] : [])));
  const offering = Object.entries(profiles).map(([name, each]) => [name, listOffered(each, cards)] as const);
  return resolveProfile(policy, cards).map((judged) => {
    const verdict = doubtful.has(judged.card.name) ? doubt(policy, judged) : judged;
    const missing = readOwn(facts.missing, verdict.card.name) ?? null;
    const isGone = isNative && verdict.isOffered && missing !== null;
    return {
      ...verdict,
      ...(isGone ? { isOffered: false, why: missing } : {}),
      profiles: offering.flatMap(([name, tools]) => (tools.has(verdict.card.name) ? [name] : [])),
      missing,
    };
  });
}

function listOffered(policy: ProfilePolicy, cards: readonly ToolCard[]): ReadonlySet<string> {
  return new Set(resolveProfile(policy, cards).flatMap(({ card, isOffered }) => (isOffered ? [card.name] : [])));
}

/** What is kept out by hints that the server may give otherwise when it runs is let in as far as it does. */
function doubt(policy: ProfilePolicy | null, judged: ToolVerdict): ToolVerdict {
  if (judged.isOffered) return judged;
  const [best] = resolveProfile(policy, [{ ...judged.card, hints: HARMLESS_HINTS }]);
  return best?.isOffered === true
    ? { ...judged, isOffered: true, why: `${best.why}, but those that its server calls: ${judged.why}` }
    : judged;
}

function toAllName(server: string): string {
  return `mcp__${server}__*`;
}

/** Without trust in what the server says, each of its tools may do anything, but for those that the person vouches for. */
function toServerCards({ name, tools, trustsAnnotations, annotations = {} }: Settings['mcpServers'][number]): readonly ToolCard[] {
  const group = `mcp:${name}` as const;
  const taken = Object.entries(annotations).filter(([tool]) => tools?.includes(tool) ?? true);
  const vouched = taken.map(([tool, hints]) => ({
    name: toServerToolName(name, tool),
    group,
    hints: { ...PESSIMISTIC_HINTS, ...hints },
    description: 'A tool of this server, with the hints that the configuration gives it.',
  }));
  const description = trustsAnnotations ? 'The tools of this server, with the hints that it gives.' : 'The tools of this server.';
  return [...vouched, { name: toAllName(name), group, hints: PESSIMISTIC_HINTS, description }];
}
