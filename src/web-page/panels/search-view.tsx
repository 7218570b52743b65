import { useState } from 'preact/hooks';
import type { SearchHit } from '../../wire/turn-texts.ts';
import type { RunSource } from '../data/page-source.ts';
import { useLoaded } from '../parts/use-loaded.ts';

const LIMIT = 200;

interface SearchViewProps {
  readonly source: RunSource;
  readonly words: string;
  readonly onWords: (words: string) => void;
  readonly onHit: (hit: SearchHit) => void;
}

/** Looks for words in everything that the agents were asked and said, however much that is. */
export function SearchView({ source, words, onWords, onHit }: SearchViewProps) {
  const [text, setText] = useState(words);
  return (
    <section class="search" aria-labelledby="search-title">
      <h2 id="search-title" class="hidden">
        Search
      </h2>
      <search>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            onWords(text.trim());
          }}
        >
          <label>
            Search prompts and outputs{' '}
            <input id="search-words" type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </label>{' '}
          <button type="submit">Search</button>
        </form>
      </search>
      {words !== '' && <Hits source={source} words={words} onHit={onHit} />}
    </section>
  );
}

function Hits({ source, words, onHit }: Omit<SearchViewProps, 'onWords'>) {
  const { value, error } = useLoaded(() => source.search(words, LIMIT), words, []);
  if (error !== null) return <p class="problem">{error}</p>;
  if (value === undefined) return <p class="faint">Searching …</p>;
  return (
    <>
      <p role="status">
        {value.length === 0
          ? 'Nothing found.'
          : `${value.length >= LIMIT ? `The first ${LIMIT}` : value.length} lines, the newest turn first.`}
      </p>
      <ul class="hits">
        {value.map((hit) => (
          <li key={`${hit.turn} ${hit.part} ${hit.fromByte} ${hit.line}`}>
            <button type="button" class="link" onClick={() => onHit(hit)}>
              turn {hit.turn.replace(/\.1$/, '')}, {hit.part}
            </button>{' '}
            <code>{hit.line}</code>
          </li>
        ))}
      </ul>
    </>
  );
}
