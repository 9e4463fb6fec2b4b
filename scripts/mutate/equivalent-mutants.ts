/** A mutant that no test can notice, because what it changes makes no difference to anybody. */
interface EquivalentMutant {
  /** Path from the root of the repository. */
  readonly file: string
  /** Text of the file, in one line, in which the mutant is. */
  readonly within: string
  /** What Stryker replaces there, and by what. */
  readonly from: string
  readonly to: string
  readonly why: string
}

/** Survivors of the samples that were read and found to change nothing. They count neither as killed nor as tried. */
export const EQUIVALENT_MUTANTS: readonly EquivalentMutant[] = [
  {
    file: 'src/main/ledger/request-blocks.ts',
    within: 'base?.tools ?? []',
    from: '[]',
    to: '["Stryker was here"]',
    why: 'A request without tools or system needs a base, and has returned by then if there is none.',
  },
  {
    file: 'src/main/live/hub.ts',
    within:
      "ignoreAbort(error: unknown): void {\n  if (!(error instanceof Error) || error.name !== 'AbortError') throw error\n}",
    from: "{\n  if (!(error instanceof Error) || error.name !== 'AbortError') throw error\n}",
    to: '{}',
    why: 'A pause ends early for no other reason.',
  },
  {
    file: 'src/main/store/pricing/pricing.ts',
    within: 'if (known) return known',
    from: 'known',
    to: 'false',
    why: 'The rows are looked up again instead of being taken from the cache.',
  },
  {
    file: 'src/main/store/pricing/pricing.ts',
    within: "const ALWAYS = '2000-01-01'",
    from: "'2000-01-01'",
    to: '""',
    why: 'Both come before the day of any call.',
  },
  {
    file: 'src/main/surfaces/ipc/ipc-surface.ts',
    within: "unsubscribe(stream) {\n      if (typeof stream !== 'number') return",
    from: "typeof stream !== 'number'",
    to: 'false',
    why: 'No stream has a name that is not a number, so none is found.',
  },
  {
    file: 'src/main/transcripts/thread/image-header.ts',
    within: '!/^GIF8[79]a$/.test(',
    from: '/^GIF8[79]a$/',
    to: '/^GIF8[79]a/',
    why: 'The text has exactly six characters.',
  },
]
