import { call } from './client.ts'
import { formatCount, plural } from './format.ts'
import { type Pack, packInput } from './pack-store.ts'

interface CopiedPack {
  /** The answer, if it is on screen. */
  readonly known?: { readonly text: string; readonly included: number; readonly tokens: number }
  /** What the hits are called if they are not the pack that the person assembled. */
  readonly noun?: string
}

/** Reads the text of a pack, and says how much it is. */
export async function packToCopy(
  pack: Pack,
  { known, noun }: CopiedPack = {},
): Promise<{ readonly text: string; readonly notice: string }> {
  const { text, included, tokens } = known ?? (await call('recall.pack', packInput(pack)))
  const size = `${plural(included, pack.wholeTurns ? 'text' : (noun ?? 'hit'))}, about ${formatCount(tokens)} tokens`
  return { text, notice: noun === undefined ? `Copied the pack: ${size}` : `Copied ${size}` }
}
