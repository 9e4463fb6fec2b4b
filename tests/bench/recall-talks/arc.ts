/** A topic that two people return to over weeks. It concerns `{A}`; `{B}` listens. Other slots are filled once per arc. */
export interface Arc {
  readonly slots: { readonly [slot: string]: readonly string[] }
  /** One session each, in order. */
  readonly steps: readonly Step[]
  /** Questions about several steps: any of the lines is a correct answer. */
  readonly across?: readonly (readonly [
    question: string,
    ...lines: readonly (readonly [step: number, line: number])[],
  ])[]
}

export interface Step {
  /** `A: …` or `B: …` */
  readonly lines: readonly string[]
  /** A reworded question, and the number of the line that answers it. */
  readonly asked: readonly (readonly [question: string, line: number])[]
}

export const step = (lines: readonly string[], ...asked: Step['asked']): Step => ({ lines, asked })
