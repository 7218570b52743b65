import type { EvidenceRow } from '../../wire/evidence-row.ts';
import type { Line, TonedText } from '../cells/screen.ts';
import { type PanelContent, type Room, type Scene, toChosenGate } from '../scene.ts';
import { fitLines, span, wrapCells } from './words.ts';

/** What the gates have shown: which is red, and why. */
export function toEvidencePanel(scene: Scene, { columns, rows }: Room): PanelContent {
  const { frame } = scene;
  if (frame.evidence.length === 0)
    return { title: '', lines: [[span('No gate is configured: nothing proves the work.', 'faint')]], chosen: -1 };
  const chosen = toChosenGate(scene);
  const spare = Math.max(0, rows - frame.evidence.length);
  const red = frame.evidence.filter(({ verdict }) => verdict === 'failed').length;
  let left = spare;
  let mark = -1;
  const lines: Line[] = [];
  for (const row of frame.evidence) {
    if (row === chosen) mark = lines.length;
    const why =
      row.verdict === 'failed'
        ? [...toAgeLines(row, columns), ...toWhyLines(row, columns)].slice(-Math.min(left, Math.ceil(spare / Math.max(1, red))))
        : [];
    left -= why.length;
    lines.push(toGateLine(row), ...(left < 0 || why.length === 0 ? [] : why));
  }
  return { title: red === 0 ? '' : `${red} RED`, lines: fitLines(lines, rows), chosen: mark < rows ? mark : -1 };
}

const VERDICTS: Readonly<Record<EvidenceRow['verdict'], TonedText>> = {
  passed: span('✓ passed', 'good'),
  failed: span('✗ RED', 'bad'),
  skipped: span('- skipped', 'faint'),
  'did not count': span('✗ passed, did not count', 'warning'),
  'not run': span('- not run', 'faint'),
};

function toGateLine({ name, verdict, how, iteration, changedSince, isRequired, runs, failures }: EvidenceRow): Line {
  const isOld = changedSince !== null && changedSince > 0;
  // Of a red gate it is said below.
  const age = verdict === 'failed' ? '' : isOld ? ', old' : changedSince === null ? ', may be old' : '';
  const when = iteration === null ? '' : `, turn ${iteration}${age}`;
  return [
    verdict === 'failed' && isOld ? span('✗ was red', 'warning') : VERDICTS[verdict],
    span(` ${name}`, 'heading'),
    span(isRequired ? '' : ' (optional)', 'faint'),
    span(how === '' ? '' : ` ${how}${when}`, 'faint'),
    span(failures === 0 ? '' : `, red ${failures} of ${runs}`, 'faint'),
  ];
}

/** Whether what a red gate says still holds. */
function toAgeLines({ verdict, age, changedSince }: EvidenceRow, columns: number): readonly Line[] {
  if (verdict !== 'failed' || changedSince === 0) return [];
  return wrapCells(age, columns - 2).map((text) => [span(`  ${text}`, 'warning')]);
}

function toWhyLines({ why }: EvidenceRow, columns: number): readonly Line[] {
  return wrapCells(why, columns - 4)
    .filter((text) => text.trim() !== '')
    .map((text) => [span('  | ', 'bad'), span(text)]);
}

/** How many rows it would like to have. */
export function wishEvidence({ frame }: Pick<Scene, 'frame'>, columns: number): number {
  return frame.evidence.reduce(
    (sum, row) => sum + 1 + (row.verdict === 'failed' ? toAgeLines(row, columns).length + toWhyLines(row, columns).length : 0),
    0,
  );
}
