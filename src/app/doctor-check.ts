/** One thing that `ralph doctor` looked at. */
export interface DoctorCheck {
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'problem';
  readonly text: string;
  /** What to do about it. */
  readonly fix?: string;
}
