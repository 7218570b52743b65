import { RALPH, toDurationText, toUsdText } from '../../core/index.ts';
import { type FactRow, type RunView, toCount, toFirstLine, toIterationsText, toList, toPlainLine, toRowLines } from '../../views/index.ts';
import { type Look, MAX_WIDTH } from './look.ts';
import type { RunOpening } from './run-printer.ts';

/** What a run and its plan say where no gate is configured. */
export const NO_GATE = 'none: no gate checks the work; name the command that proves it under gates in ralph.yml';

/** The first lines of a run: what was asked, who works on it, what stops it. */
export function toHeaderLines({ runId, workspace, runFolder, reach, isNewest, view }: RunOpening, look: Look): readonly string[] {
  const isElsewhere = !runFolder.startsWith(`${workspace}/`);
  const rows: readonly FactRow[] = [
    { label: 'Asked', text: toFirstLine(view.objective, 160) },
    { label: 'Team', text: toTeamText(view) },
    { label: 'Agents', text: toAgentsText(view) },
    ...(view.gates.length === 0
      ? [{ label: 'Evidence', text: NO_GATE }]
      : [
          {
            label: 'Gates',
            text: toList(
              view.gates.map((gate, index) => toGateText(gate, view.gateSources[index]?.from ?? null)),
              4,
            ),
          },
        ]),
    ...(isElsewhere ? [{ label: 'Folder', text: workspace }] : []),
    ...(reach === '' ? [] : [{ label: 'Reach', text: reach }]),
    { label: 'Limits', text: toLimitsText(view) },
    { label: 'Stop', text: `Ctrl+C; go on later with \`ralph resume${isNewest && !isElsewhere ? '' : ` ${runId}`}\`` },
  ];
  const layout = { width: Math.min(look.columns(), MAX_WIDTH), styleLabel: (label: string) => look.style('faint', label) };
  const goesOn = view.resumes > 0 ? ` goes on after ${toIterationsText(view.totals)}` : '';
  return [look.style('heading', `Ralph ${runId}${goesOn}`), ...toRowLines(rows, layout)];
}

/** `npm test (found in package.json)` */
function toGateText(gate: string, from: string | null): string {
  return `${toPlainLine(gate, 60)}${from === null ? '' : ` (found in ${toPlainLine(from, 60)}; --no-gates leaves it out)`}`;
}

/** Who coordinates, in words. */
export function toTeamText({ coordination, hats }: Pick<RunView, 'coordination' | 'hats'>): string {
  if (coordination === 'solo') return 'solo: one agent does everything';
  const names = hats.map((hat) => hat.id).filter((id) => id !== RALPH);
  return `${toList(names, 12)} (${coordination === 'ralph' ? 'Ralph coordinates' : 'they coordinate themselves'})`;
}

function toAgentsText({ hats }: RunView): string {
  return toList(
    [...new Set(hats.flatMap((hat) => hat.backends.slice(0, 1)))].map((label) => toPlainLine(label, 60)),
    6,
  );
}

/** The limits in words: `100 iterations, 4 h 00 min, $5.00`. */
export function toLimitsText({ limits }: Pick<RunView, 'limits'>): string {
  if (limits === null) return 'unknown';
  const cost = limits.maxCostUsd === null ? 'no limit of cost' : toUsdText(limits.maxCostUsd);
  return `${toCount(limits.maxIterations, 'iteration')}, ${toDurationText(limits.maxRuntimeMs)}, ${cost}`;
}
