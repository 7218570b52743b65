import { toDurationText } from '../../core/text/duration.ts';
import type { TurnDetail } from '../../wire/turn-row.ts';
import type { ToolCallRow } from '../../wire/turn-texts.ts';
import type { RunSource } from '../data/page-source.ts';
import { PAGE_TABS, type PageTab } from '../data/route.ts';
import { DiffView } from '../parts/diff-view.tsx';
import { TextView } from '../parts/text-view.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { toTimeOfDay } from '../parts/words.ts';

interface TurnViewProps {
  readonly source: RunSource;
  readonly detail: TurnDetail;
  readonly tab: PageTab;
  readonly from: number | null;
  /** Grows when there may be more. */
  readonly version: number;
  /** An earlier moment of the run is looked at. */
  readonly isPast: boolean;
  readonly onTab: (tab: PageTab) => void;
}

/** One turn: why it is as it is, what its agent was asked, said, changed and called. */
export function TurnDetailView({ source, detail, tab, from, version, isPast, onTab }: TurnViewProps) {
  const { row } = detail;
  return (
    <section class="turn" aria-labelledby="turn-title">
      <h2 id="turn-title">
        Turn {row.label} {row.hat}{' '}
        <span class="faint">
          @{row.backend}
          {row.worker !== null && ` on ${row.worker}`}
        </span>
      </h2>
      <p>
        {row.about !== '' && `${row.about}: `}
        {row.outcome} {row.topics.length > 0 && <span class="faint">published {row.topics.join(', ')}</span>}
      </p>
      <div role="tablist" aria-label="What of the turn" class="tabs">
        {PAGE_TABS.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={name === tab}
            aria-controls="turn-panel"
            tabIndex={name === tab ? 0 : -1}
            onClick={() => onTab(name)}
            onKeyDown={(event) => moveTab(event, name, onTab)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="turn-panel" aria-labelledby={`tab-${tab}`}>
        {isPast && row.endSeq === null && tab !== 'why' && tab !== 'prompt' && (
          <p class="faint">All there is by now: the turn was under way at the moment that is looked at.</p>
        )}
        <TabContent source={source} detail={detail} tab={tab} from={from} version={version} />
      </div>
    </section>
  );
}

function moveTab(event: KeyboardEvent, name: PageTab, onTab: (tab: PageTab) => void): void {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const next = PAGE_TABS[(PAGE_TABS.indexOf(name) + step + PAGE_TABS.length) % PAGE_TABS.length] ?? name;
  onTab(next);
  document.getElementById(`tab-${next}`)?.focus();
}

function TabContent({ source, detail, tab, from, version }: Omit<TurnViewProps, 'onTab' | 'isPast'>) {
  const { row } = detail;
  const live = row.endSeq === null ? version : 0;
  switch (tab) {
    case 'why':
      return <Why detail={detail} />;
    case 'output':
    case 'prompt':
      return (
        <TextView
          label={tab}
          subject={`${row.name} ${tab}`}
          load={(range) => source.text(row.name, tab, range)}
          from={tab === 'prompt' ? (from ?? 0) : from}
          version={live}
          missing={source.leftOut || (tab === 'prompt' ? 'Its prompt was not kept.' : 'Nothing was said so far, or it was not kept.')}
        />
      );
    case 'diff':
      return <TurnDiff source={source} name={row.name} version={live} />;
    case 'calls':
      return <Calls source={source} name={row.name} version={live} />;
  }
}

function Why({ detail }: { readonly detail: TurnDetail }) {
  return (
    <dl class="facts">
      {detail.rows.map(({ label, text }, index) => (
        <div key={index}>
          <dt>{index > 0 && detail.rows[index - 1]?.label === label ? <span class="hidden">{label}</span> : label}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function TurnDiff({ source, name, version }: { readonly source: RunSource; readonly name: string; readonly version: number }) {
  const { value, error } = useLoaded(() => source.diff(name), name, [version]);
  if (error !== null) return <p class="problem">{error}</p>;
  if (value === undefined) return <p class="faint">Loading …</p>;
  return value === null ? (
    <p class="faint">{source.leftOut || 'What it changed was not kept, or is not known yet.'}</p>
  ) : (
    <DiffView patch={value} />
  );
}

function Calls({ source, name, version }: { readonly source: RunSource; readonly name: string; readonly version: number }) {
  const { value, error } = useLoaded(() => source.index(name), name, [version]);
  if (error !== null) return <p class="problem">{error}</p>;
  if (value === undefined) return <p class="faint">Loading …</p>;
  if (value.calls.length === 0) return <p class="faint">{source.leftOut || 'No tool calls are known of this turn.'}</p>;
  return (
    <table class="calls">
      <thead>
        <tr>
          <th scope="col">at</th>
          <th scope="col">tool</th>
          <th scope="col">about</th>
          <th scope="col">time</th>
          <th scope="col">result</th>
        </tr>
      </thead>
      <tbody>
        {value.calls.map((call) => (
          <tr key={call.id}>
            <td>{toTimeOfDay(call.startedAt)}</td>
            <td>{call.name}</td>
            <td class="about">{call.summary}</td>
            <td>{call.endedAt === null ? '' : toDurationText(call.endedAt - call.startedAt)}</td>
            <td>{toResult(call)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function toResult({ ok, endedAt }: ToolCallRow): string {
  if (ok !== null) return ok ? '✓ ok' : '✗ failed';
  return endedAt === null ? 'under way, or its end was not told' : 'not told';
}
