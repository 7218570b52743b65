import { estimateTokens, RALPH, toBackendLabel, toDurationText, toGateName } from '../../core/index.ts';
import { cleanText, type FactRow, toFirstLine, toNumberText, toPlainLine, toRowLines } from '../../views/index.ts';
import type { AppApi } from '../cli-context.ts';
import { NO_GATE, toLimitsText, toTeamText } from '../live/header.ts';
import { printLine, type Terminal } from '../terminal.ts';

type RunPlan = Awaited<ReturnType<AppApi['planRun']>>;

/** `--dry-run`: the team, its agents, the limits and the first prompt with its size. Nothing is started. */
export function printDryRun(terminal: Terminal, plan: RunPlan): number {
  const prompt = plan.firstPrompt();
  const [tokens, own] = [estimateTokens(prompt), estimateTokens(plan.ownWords())];
  const layout = { width: terminal.columns(), styleLabel: (label: string) => terminal.style('faint', label) };
  for (const line of toRowLines(toRows(plan), layout)) printLine(terminal, line);
  const size = `about ${toNumberText(tokens)} tokens, ${toNumberText(own)} of them Ralph’s own; ${toNumberText(prompt.length)} characters`;
  printLine(terminal, `\n${terminal.style('heading', `── first prompt, for ${plan.topology.entry}: ${size} ──`)}`);
  printLine(terminal, cleanText(prompt));
  return 0;
}

function toRows({ settings, topology }: RunPlan): readonly FactRow[] {
  const { spec } = settings;
  const { coordination, hats } = topology;
  const wearers = coordination === 'hats' || topology.classic ? hats.map((hat) => hat.id) : [RALPH, ...hats.map((hat) => hat.id)];
  return [
    { label: 'Asked', text: toFirstLine(spec.objective, 160) },
    { label: 'Config', text: toConfigText(settings) },
    { label: 'Team', text: toTeamText({ coordination, hats }) },
    ...wearers.map((hat) => ({ label: 'Hat', text: toHatText(settings, hat, topology.hatById.get(hat)) })),
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

function toConfigText({ configFiles, hatsOverlay, assignments = [] }: RunPlan['settings']): string {
  const team = hatsOverlay === undefined ? [] : [`--hats ${hatsOverlay}`];
  const sources = [...configFiles, ...team, ...assignments.map((text) => `-c ${toFirstLine(text.slice(0, text.indexOf('=')), 80)}`)];
  return sources.length === 0 ? 'none: defaults' : sources.map((source) => toPlainLine(source, 300)).join(', ');
}

function toHatText({ backends }: RunPlan['settings'], id: string, hat: RunPlan['topology']['hats'][number] | undefined): string {
  const agents = (backends[id] ?? backends[RALPH] ?? [])
    .filter((spec) => spec.type !== 'auto')
    .map((spec) => toPlainLine(`${toBackendLabel(spec)}${spec.model === undefined ? '' : ` ${spec.model}`}`, 160))
    .join(', then ');
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
function toGateFacts({ timeoutMs, from, baseline }: RunPlan['settings']['spec']['gates'][number]): string {
  const facts = [
    `at most ${toDurationText(timeoutMs)}`,
    ...(from === undefined ? [] : [`found in ${toPlainLine(from, 60)}, --no-gates leaves it out`]),
    ...(baseline === undefined ? [] : ['run before the first turn, too']),
  ];
  return facts.join('; ');
}
