/** A tick on the map of a session. */
export interface MapTick {
  readonly kind: 'prompt' | 'compaction' | 'failure'
  readonly uuid: string
  /** 0: the start of the session, 1: its end. */
  readonly at: number
}

interface Timed {
  readonly uuid: string
  readonly turn_id: number
  readonly timestamp: string
}

/** Maximum number of ticks of a kind that can be distinguished. */
const MAX_TICKS = 300

/**
 * Returns the height of each prompt's part of the map: its calls, which grow with its text on the page, unlike the time
 * between two turns. A prompt without calls is one high.
 */
export function heightsOf(
  prompts: readonly Pick<Timed, 'turn_id'>[],
  turns: readonly { readonly turn_id: number; readonly calls: number }[],
): readonly number[] {
  const heights = prompts.map(() => 1)
  for (const { turn_id: turn, calls } of turns) {
    const at = prompts.findLastIndex(({ turn_id }) => turn_id <= turn)
    if (at >= 0) heights[at] = (heights[at] ?? 1) + calls
  }
  return heights
}

/** Places everything on a map on which each turn is as high as given. */
export function ticksOf(
  prompts: readonly Timed[],
  { compactions, failures }: { readonly compactions: readonly Timed[]; readonly failures: readonly Timed[] },
  heights: readonly number[] = prompts.map(() => 1),
): readonly MapTick[] {
  const ticks = (kind: MapTick['kind'], all: readonly Timed[]) =>
    sampled(all).map(({ uuid, turn_id: turn, timestamp }): MapTick => {
      const prompt = prompts.findLastIndex(({ turn_id }) => turn_id <= turn)
      return { kind, uuid, at: positionIn(prompts, prompt, timestamp, heights) }
    })
  return [...ticks('prompt', prompts), ...ticks('compaction', compactions), ...ticks('failure', failures)]
}

/** Returns where a moment after a prompt is on the map. */
export function positionIn(
  prompts: readonly Pick<Timed, 'timestamp'>[],
  prompt: number,
  time: string,
  heights: readonly number[] = prompts.map(() => 1),
): number {
  const start = Date.parse(prompts[prompt]?.timestamp ?? time)
  const end = Date.parse(prompts[prompt + 1]?.timestamp ?? '')
  const passed = Date.parse(time) - start
  // The end of the last turn is not known: its middle is reached after ten minutes.
  const share = Number.isNaN(end) ? passed / (passed + 600_000) : end > start ? passed / (end - start) : 0
  const within = Math.max(0, Math.min(1, Number.isNaN(share) ? 0 : share))
  const sum = (some: readonly number[]) => some.reduce((total, height) => total + height, 0)
  const at = Math.max(0, prompt)
  return (sum(heights.slice(0, at)) + within * (heights[at] ?? 1)) / Math.max(1, sum(heights))
}

function sampled<Item>(all: readonly Item[]): readonly Item[] {
  const step = Math.ceil(all.length / MAX_TICKS)
  return step <= 1 ? all : all.filter((_, at) => at % step === 0)
}
