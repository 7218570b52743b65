import { useState } from 'preact/hooks';
import type { EvidenceRow } from '../../wire/evidence-row.ts';
import type { RunFrame } from '../../wire/run-frame.ts';
import type { RunSource } from '../data/page-source.ts';
import { TextView } from '../parts/text-view.tsx';

const MARKS: Readonly<Record<EvidenceRow['verdict'], string>> = {
  passed: '✓ passed',
  failed: '✗ red',
  skipped: '– skipped',
  'did not count': '✗ did not count',
  'not run': '– not run yet',
};

/** What the gates have shown, and whether that still holds for the files as they are. */
export function EvidenceView({ frame, source }: { readonly frame: RunFrame; readonly source: RunSource }) {
  if (frame.evidence.length === 0) return <p class="faint">No gate checks this run: what its agents say is all there is.</p>;
  return (
    <ul class="evidence">
      {frame.evidence.map((row) => (
        <GateEvidence key={row.gate} row={row} source={source} isRunning={frame.runningGates.includes(row.name)} />
      ))}
    </ul>
  );
}

function GateEvidence({ row, source, isRunning }: { readonly row: EvidenceRow; readonly source: RunSource; readonly isRunning: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const { number } = row;
  return (
    <li class={toKind(row)}>
      <strong>{row.name}</strong>{' '}
      {isOld(row) ? (
        <span class="verdict">✗ was red</span>
      ) : (
        <span class={`verdict ${row.verdict.replaceAll(' ', '-')}`}>{MARKS[row.verdict]}</span>
      )}
      {isRunning && <span class="running"> runs now</span>} {row.command !== null && <code>{row.command}</code>}{' '}
      <span class="faint">{toFacts(row).join(' · ')}</span>
      {row.why !== '' && <pre class="why">{row.why}</pre>}
      {number !== null && (
        <button type="button" class="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Close' : 'Whole output'}
        </button>
      )}
      {isOpen && number !== null && (
        <TextView
          label={`output of ${row.name}`}
          subject={`evidence ${number}`}
          load={(range) => source.evidence(number, range)}
          from={null}
          version={0}
          missing={source.leftOut || 'Its output was not kept.'}
        />
      )}
    </li>
  );
}

function toFacts({ how, iteration, changedSince, age, runs, failures, tree, isRequired }: EvidenceRow): readonly string[] {
  return [
    ...(age !== '' && changedSince !== 0 ? [age] : []),
    ...(how === '' ? [] : [how]),
    ...(iteration !== null && changedSince === 0 ? [`after turn ${iteration}`, age] : []),
    ...(tree === null ? [] : [`files ${tree.slice(0, 7)}`]),
    ...(failures === 0 ? [] : [`red ${failures} of ${runs} times`]),
    ...(isRequired ? [] : ['the end does not wait for it']),
  ];
}

/** A verdict about files that are others by now must not be the loudest thing. */
function isOld({ verdict, changedSince }: EvidenceRow): boolean {
  return verdict === 'failed' && changedSince !== null && changedSince > 0;
}

function toKind(row: EvidenceRow): string {
  if (isOld(row)) return 'old';
  return row.verdict === 'failed' || row.verdict === 'did not count' ? 'red' : '';
}
