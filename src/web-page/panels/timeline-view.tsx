import { useRef } from 'preact/hooks';
import type { RunFrame } from '../../wire/run-frame.ts';
import type { TimelineSlot } from '../../wire/timeline-slot.ts';

interface TimelineViewProps {
  readonly slots: readonly TimelineSlot[];
  readonly frame: RunFrame;
  /** Where the person has gone to: what is shown may still be on its way there. */
  readonly wanted: number;
  readonly hats: readonly string[];
  /** False where the end of what is there is the end of the run. */
  readonly isLive: boolean;
  readonly isPlaying: boolean;
  /** `null`: now. */
  readonly onSeek: (seq: number | null) => void;
  readonly onPlay: () => void;
}

/** Colours that those who see few of them tell apart, too (Okabe and Ito); the letter says the same. */
const COLOURS = 8;
const MARKS: Readonly<Record<TimelineSlot['mark'], string>> = { ok: '', stopped: '■', red: '✗', failed: '✗', none: '' };

/** The run from its first to its last input, with the moment that is looked at. */
export function TimelineView({ slots, frame, wanted, hats, isLive, isPlaying, onSeek, onPlay }: TimelineViewProps) {
  const strip = useRef<HTMLDivElement>(null);
  const { seq, lastSeq, isNow } = frame;
  // A file of a run that goes on elsewhere has no end to show.
  const nowWord = isLive ? 'LIVE' : frame.end === null ? 'SNAPSHOT' : 'END';
  const share = lastSeq <= 1 ? 1 : (seq - 1) / (lastSeq - 1);
  const seekTo = (value: number): void => onSeek(value >= lastSeq ? null : Math.max(1, value));
  return (
    <section class="timeline" aria-label="Timeline">
      <button type="button" class="small" onClick={onPlay} aria-pressed={isPlaying}>
        {isPlaying ? 'Pause' : 'Play'}
      </button>
      <div class="strip" ref={strip}>
        <p class="legend" aria-hidden="true">
          {hats.slice(0, COLOURS).map((hat) => (
            <span key={hat}>
              <span class={`swatch hat-${toColour(hats, hat)}`} /> {hat}
            </span>
          ))}
          <span>✗ a gate was red, or a turn failed</span>
          {slots.some(({ mark }) => mark === 'stopped') && <span>■ a turn was stopped</span>}
        </p>
        <div class="slots" aria-hidden="true">
          {slots.map((slot) => (
            <span key={slot.fromSeq} class={`slot hat-${toColour(hats, slot.hat)} mark-${slot.mark}`} title={slot.hat ?? ''}>
              {MARKS[slot.mark]}
            </span>
          ))}
        </div>
        <input
          type="range"
          min={1}
          max={Math.max(1, lastSeq)}
          value={wanted}
          aria-label="Input of the journal"
          aria-valuetext={toValueText(frame)}
          onInput={(event) => seekTo(Number(event.currentTarget.value))}
        />
        <span class="cursor" style={{ left: `${share * 100}%` }} aria-hidden="true" />
      </div>
      <output>
        input {seq} of {lastSeq}
      </output>
      <button type="button" class="small" disabled={isNow} onClick={() => onSeek(null)}>
        {isNow ? nowWord : isLive ? 'Back to live' : 'To the end'}
      </button>
    </section>
  );
}

function toColour(hats: readonly string[], hat: string | null): string {
  const place = hat === null ? -1 : hats.indexOf(hat);
  return place < 0 ? 'none' : String(place % COLOURS);
}

/** `input 131 of 214, turn 5, reviewer, tests red` */
function toValueText({ seq, lastSeq, progress, working, evidence }: RunFrame): string {
  const red = evidence.filter(({ verdict }) => verdict === 'failed').map(({ name }) => `${name} red`);
  const who = working.map(({ hat }) => hat);
  return [`input ${seq} of ${lastSeq}`, `turn ${progress.iterations}`, ...who, ...red].join(', ');
}
