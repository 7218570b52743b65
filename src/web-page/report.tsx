/** The page of one run in a file of its own: its data stands in the file, and nothing is asked of anybody. */
import { render } from 'preact';
import type { ReportData } from '../wire/report-data.ts';
import { App } from './app.tsx';
import { createLocalSource } from './data/local-source.ts';

const data = JSON.parse(document.getElementById('data')?.textContent ?? 'null') as ReportData;
const root = document.getElementById('root') ?? document.body;
document.title = `${data.row.title} - Ralph`;
render(<App source={createLocalSource(data)} only={data.row.key} />, root);
