/** A matter that two people come back to over weeks. `{A}` has it, `{B}` listens; other slots are drawn once an arc. */
export interface Arc {
  readonly slots: { readonly [slot: string]: readonly string[] }
  /** What is said in one session each, in order. */
  readonly steps: readonly Step[]
  /** Asked of several steps at once: a right answer stands in any of the lines. */
  readonly across?: readonly (readonly [
    question: string,
    ...lines: readonly (readonly [step: number, line: number])[],
  ])[]
}

export interface Step {
  /** `A: …` or `B: …` */
  readonly lines: readonly string[]
  /** A question in other words, and the number of the line that answers it. */
  readonly asked: readonly (readonly [question: string, line: number])[]
}

export const step = (lines: readonly string[], ...asked: Step['asked']): Step => ({ lines, asked })
