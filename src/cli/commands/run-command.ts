import type { Command } from 'commander';
import { toBackendLabel } from '../../core/backends/backend-spec.ts';
import { RALPH } from '../../core/events/reserved.ts';
import { toGateName } from '../../core/gates/gate-spec.ts';
import { toDurationText } from '../../core/text/duration.ts';
import { estimateTokens } from '../../core/text/estimate-tokens.ts';
import { checkConfig } from '../../validation/check-config.ts';
import { type FactRow, toRowLines } from '../../views/text/fact-rows.ts';
import { cleanText, toFirstLine, toNumberText, toPlainLine } from '../../views/text/plain-text.ts';
import { findFleetAddress } from '../args/fleet-options.ts';
import { addExamples, addNote } from '../args/help.ts';
import {
  addConfigOptions,
  addSettingFlags,
  addShowOptions,
  type ShowFlags,
  type ShowOptions,
  toConfigRequest,
  toShowOptions,
} from '../args/options.ts';
import { checkRunFlags, type RunFlags, toPlanRequest } from '../args/run-flags.ts';
import type { AppApi, AppContext, CliCommand } from '../cli-command.ts';
import type { CommandCall } from '../cli-context.ts';
import { toOfferRows } from '../live/offer-rows.ts';
import { resumeAndWatch } from '../live/resume-run.ts';
import { NO_GATE, toLimitsText, toTeamText } from '../live/run-lines.ts';
import { showStarted } from '../live/show-started.ts';
import { withAbort } from '../live/signals.ts';
import { type WatchOrder, watchRun } from '../live/watch-run.ts';
import { printWarnings } from '../terminal/print.ts';
import { isColoured, printLine, type Terminal } from '../terminal/terminal.ts';

type PlannedStart = Awaited<ReturnType<AppApi['planStart']>>;

/** `ralph run`, and `ralph` alone. */
export const runCommand: CliCommand = { declare, perform };

function declare(command: Command): void {
  command
    .argument('[text...]', 'the task; default: the prompt file of the configuration (PROMPT.md)')
    .option('-p, --prompt <text>', 'the task')
    .option('-P, --prompt-file <file>', 'a file with the task; - for standard input');
  addConfigOptions(command);
  addSettingFlags(command);
  command
    .option('--hat <hat>', 'the hat that takes the turn of --once')
    .option('--once', 'run one turn of --hat, and no more')
    .option('--safe', 'run in its own worktree, confined by the sandbox of the operating system, or not at all')
    .option('--no-safe', 'no safe run, whatever the configuration says')
    .option('--worktree [name]', 'run in its own git worktree, beside a run that is under way')
    .option('--in-place', 'run in this folder, whatever the configuration says')
    .option('--no-gates', 'run no command that checks the work: neither configured gates nor one that Ralph finds')
    .option(
      '--dry-run',
      'show the team, the limits, the first prompt and, with --fleet, what would be offered to which workers; start nothing',
    )
    .option('--continue', 'continue the newest run instead, as `ralph resume` does')
    .option('--accept-changes', 'with --continue: accept a changed configuration or prompt without asking')
    .option('--detach', 'start the run in the background: it keeps running when the terminal is closed')
    .option(
      '--fleet [url]',
      'let the workers of a fleet take the turns (ralph worker); the run itself, its gates and its journal stay here',
    )
    .option('--nested', 'allow a run inside an agent’s turn');
  addShowOptions(command);
  addNote(command, PRECEDENCE);
  addExamples(command, [
    ['ralph run', 'the task in PROMPT.md with the team in ralph.yml'],
    ['ralph run -p "Make the tests pass"', 'a task on the command line; needs no configuration'],
    ['ralph run "Make the tests pass" -b codex', 'the same, with codex'],
    ['gh issue view 7 | ralph run -P -', 'a task from another program'],
    ['ralph run --max-iterations 20 --max-cost 5', 'with limits'],
    ['ralph run --hats preset:tdd -c event_loop.cooldown_delay_seconds=5', 'with a team that comes with Ralph and one more setting'],
    ['ralph run --worktree', 'beside a run that is under way here'],
    ['ralph run --detach', 'in the background; see it with ralph status, stop it with ralph stop'],
    ['ralph run --hat reviewer --once', 'one turn of one hat'],
    ['ralph run --format ndjson | jq .type', 'for programs (docs/ndjson.md)'],
  ]);
}

const PRECEDENCE = 'Precedence, highest first: options, RALPH_CONFIG_* variables, the team of --hats, configuration files, defaults.';

async function perform(context: AppContext, call: CommandCall): Promise<number> {
  const flags = checkRunFlags(call.options as unknown as RunFlags & ShowFlags, call);
  const show = toShowOptions(flags);
  if (flags.continue === true) return resumeAndWatch(context, undefined, flags);
  // First of all: what was taken for an address may be the task.
  const fleet: { readonly fleet?: string } = flags.fleet === undefined ? {} : { fleet: findFleetAddress(flags.fleet, context.env, 'run') };
  if (flags.detach === true) return detach(context, flags, call);
  if (isViewWanted(context, flags, show)) {
    const { start } = await prepareChild(context, flags, call, true);
    return showStarted(context, start);
  }
  const stdinPrompt = flags.promptFile === '-' ? await context.readStdin() : undefined;
  const app = await context.loadApp();
  const plan = await app.planStart(toPlanRequest(context, flags, call, stdinPrompt));
  await printFindings(context.terminal, plan);
  if (flags.dryRun === true) {
    const { fleet: url } = fleet;
    const offers = url === undefined ? null : await app.previewOffers(plan.settings, listWearers(plan), { fleet: url, env: context.env });
    return printDryRun(context.terminal, plan, offers === null ? [] : toOfferRows(offers));
  }
  return startAndWatch(context, app, plan, { flags, show, ...fleet });
}

/** The same command once more, without `--detach`, in a process of its own; what is wrong with the configuration is said there. */
async function prepareChild(context: AppContext, flags: RunFlags, call: CommandCall, isViewed: boolean) {
  const { cwd, env } = context;
  const app = await context.loadApp();
  const end = call.words.includes('--') ? call.words.indexOf('--') : call.words.length;
  const words = ['run', ...call.words.filter((word, index) => word !== '--detach' || index > end)];
  const { settings } = checkConfig({ ...toConfigRequest({ cwd, env }, flags), prompt: 'optional' });
  const stdin = flags.promptFile === '-' ? await context.readStdin() : null;
  const start = (abort: AbortSignal) =>
    app.startDetached({ cwd, stateDir: settings?.stateDir ?? '.ralph', words, stdin, env, abort, isViewed });
  return { start, isDeaf: settings?.externalEvents === 'off' };
}

async function detach(context: AppContext, flags: RunFlags, call: CommandCall): Promise<number> {
  const { terminal } = context;
  const { start, isDeaf } = await prepareChild(context, flags, call, false);
  const started = await withAbort(context, start);
  if (started.kind === 'ended') {
    terminal.err(started.output);
    return started.exitCode;
  }
  const stop = isDeaf ? `kill ${started.pid}` : `ralph stop ${started.runId}`;
  terminal.out(`Run ${started.runId} is under way (process ${started.pid}).\n`);
  terminal.out(
    `See it:   ralph watch ${started.runId}, or ralph status ${started.runId}\nFollow:   ralph events ${started.runId} --follow\nStop it:  ${stop}\n`,
  );
  return 0;
}

/** Whether the run is shown on the whole terminal, in a process that outlives the view. */
function isViewWanted(
  { openFullScreen, tellBegun }: AppContext,
  flags: RunFlags,
  { format, quiet, verbose, isPlain }: ShowOptions,
): boolean {
  if (openFullScreen === null || tellBegun !== null) return false;
  return format === 'text' && !quiet && !verbose && !isPlain && flags.once !== true && flags.dryRun !== true;
}

async function startAndWatch(
  context: AppContext,
  app: AppApi,
  plan: PlannedStart,
  { flags, show, ...fleet }: { readonly flags: RunFlags; readonly show: ReturnType<typeof toShowOptions>; readonly fleet?: string },
): Promise<number> {
  const options = {
    ...{ cwd: context.cwd, worktree: flags.worktree ?? null, nested: flags.nested === true, env: context.env },
    ...fleet,
  };
  const start: WatchOrder['start'] = (watch) => app.startRunHere(plan, options, watch);
  const watched = await watchRun(context, { app, show, cwd: context.cwd, isOneTurn: flags.once === true, start });
  return watched === null ? 0 : watched.exitCode;
}

/** `--dry-run`: the team, its agents, the limits, what is offered to a fleet, and the first prompt with its size. Nothing is started. */
function printDryRun(terminal: Terminal, plan: PlannedStart, offers: readonly FactRow[]): number {
  const prompt = plan.firstPrompt();
  const [tokens, own] = [estimateTokens(prompt), estimateTokens(plan.ownWords())];
  const layout = { width: terminal.columns(), styleLabel: (label: string) => terminal.style('faint', label) };
  for (const line of toRowLines([...toRows(plan), ...offers], layout)) printLine(terminal, line);
  const size = `about ${toNumberText(tokens)} tokens, ${toNumberText(own)} of them Ralph’s own; ${toNumberText(prompt.length)} characters`;
  printLine(terminal, `\n${terminal.style('heading', `── first prompt, for ${plan.topology.entry}: ${size} ──`)}`);
  printLine(terminal, cleanText(prompt));
  return 0;
}

/** Who may have a turn: hats, and Ralph where he coordinates them. */
function listWearers({ topology: { coordination, hats, classic } }: PlannedStart): readonly string[] {
  const ids = hats.map((hat) => hat.id);
  return coordination === 'hats' || classic ? ids : [RALPH, ...ids];
}

function toRows(plan: PlannedStart): readonly FactRow[] {
  const { settings, topology } = plan;
  const { spec } = settings;
  const { coordination, hats } = topology;
  return [
    { label: 'Asked', text: toFirstLine(spec.objective, 160) },
    { label: 'Config', text: toConfigText(settings) },
    { label: 'Team', text: toTeamText({ coordination, hats }) },
    ...listWearers(plan).map((hat) => ({ label: 'Hat', text: toHatText(settings, hat, topology.hatById.get(hat)) })),
    { label: 'Starts', text: `${topology.startTopic} to ${topology.entry}` },
    { label: 'Limits', text: toLimitsText({ limits: spec.limits }) },
    ...spec.gates.map((gate) => ({
      label: 'Gate',
      text: `${toPlainLine(toGateName(gate), 160)} on ${gate.on.join(', ')} (${toGateFacts(gate)})`,
    })),
    ...(spec.gates.length === 0 ? [{ label: 'Gate', text: NO_GATE }] : []),
    { label: 'Done', text: toDoneText(spec.promise, spec.requiredEvents) },
  ];
}

function toConfigText({ configFiles, hatsOverlay, assignments = [] }: PlannedStart['settings']): string {
  const team = hatsOverlay === undefined ? [] : [`--hats ${hatsOverlay}`];
  const sources = [...configFiles, ...team, ...assignments.map((text) => `-c ${toFirstLine(text.slice(0, text.indexOf('=')), 80)}`)];
  return sources.length === 0 ? 'none: defaults' : sources.map((source) => toPlainLine(source, 300)).join(', ');
}

function toHatText({ backends }: PlannedStart['settings'], id: string, hat: PlannedStart['topology']['hats'][number] | undefined): string {
  const panel = hat?.panel?.agents;
  const agents = (backends[id] ?? backends[RALPH] ?? [])
    .map((spec, place) => ({ spec, who: panel === undefined ? '' : `${panel[place]?.id ?? ''}: ` }))
    .filter(({ spec }) => spec.type !== 'auto')
    .map(({ spec, who }) => toPlainLine(`${who}${toBackendLabel(spec)}${spec.model === undefined ? '' : ` ${spec.model}`}`, 160))
    .join(panel === undefined ? ', then ' : ', ');
  const flow =
    hat === undefined
      ? ''
      : `: on ${hat.triggers.join(', ')}; may publish ${hat.publishes.map((entry) => entry.topic).join(', ') || 'nothing'}`;
  return `${id} (${agents || 'no agent found'})${flow}`;
}

function toDoneText(promise: string, required: readonly string[]): string {
  return `when somebody who may says ${toPlainLine(promise, 160)}${required.length === 0 ? '' : `, after ${required.join(', ')}`}`;
}

/** `at most 10 min; found in package.json; run before the first turn, too` */
function toGateFacts({ timeoutMs, from, baseline }: PlannedStart['settings']['spec']['gates'][number]): string {
  const facts = [
    `at most ${toDurationText(timeoutMs)}`,
    ...(from === undefined ? [] : [`found in ${toPlainLine(from, 60)}, --no-gates leaves it out`]),
    ...(baseline === undefined ? [] : ['run before the first turn, too']),
  ];
  return facts.join('; ');
}

/** What is to be said before a run starts, on standard error: findings about its configuration, and that errors among them were let pass. */
async function printFindings(terminal: Terminal, { diagnostics, settings, warnings }: PlannedStart): Promise<void> {
  if (!settings.strictValidation) terminal.err(`${terminal.errStyle('warning', BYPASSED)}\n`);
  printWarnings(terminal, warnings);
  if (diagnostics.length === 0) return;
  const { renderDiagnostics } = await import('../../config/index.ts');
  terminal.err(`${renderDiagnostics(diagnostics, { color: isColoured(terminal.errStyle) })}\n\n`);
}

const BYPASSED = [
  'WARN: Hat collection validation bypassed (strict_validation: false).',
  '      Errors downgraded to warnings. This may cause undefined behavior.',
].join('\n');
