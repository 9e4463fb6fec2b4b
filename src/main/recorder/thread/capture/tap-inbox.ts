import { setImmediate as turn } from 'node:timers/promises'
import { messagesOf } from '../../../proxy/protocol/parcel.ts'
import type { TapMessage, TapParcel } from '../../../proxy/protocol/tap-protocol.ts'

/** What the tap posts, on its way into the decoders. */
export interface TapInbox {
  add(parcels: readonly TapParcel[]): void
  /** Settles when all that was added has been decoded. */
  drained(): Promise<void>
}

export interface TapInboxOptions {
  receive(message: TapMessage): void
  /** Settles when what was received is decoded. */
  idle(): Promise<void>
  /** In milliseconds. */
  now?(): number
}

/** Decoding between two turns of the thread; one post may take longer. Where turns take longer, as long as they do. */
const TURN_MS = 5
/** But no longer than that: commits wait for it. */
const MOST_MS = 50

/**
 * Takes one post after the other, and gives the thread's timers their turn every few milliseconds. A flood comes as hundreds
 * of posts at once, and a thread takes all messages that wait before any timer: commits would come late, hooks and calls
 * would wait, and the recorder would show no sign of life until it was through. A turn for each post would be too slow:
 * beside an import or a rebuild a turn takes longer than posts take to come. On a busy machine a few milliseconds may be one
 * post, too, and live traffic would fall behind for as long as the import goes on: so it gets as much time as a turn takes.
 */
export function createTapInbox({ receive, idle, now = () => performance.now() }: TapInboxOptions): TapInbox {
  let posts: (readonly TapParcel[])[] = []
  let draining: Promise<void> | null = null

  async function drain(): Promise<void> {
    let begun = now()
    let lasts = TURN_MS
    const others = async () => {
      const left = now()
      await turn()
      begun = now()
      lasts = Math.min(MOST_MS, Math.max(TURN_MS, begun - left))
    }
    while (posts.length > 0) {
      const taken = posts
      posts = []
      for (const [at, parcels] of taken.entries()) {
        if (at > 0 && now() - begun >= lasts) await others()
        for (const parcel of parcels) messagesOf(parcel).forEach(receive)
        await idle()
      }
      await others()
    }
    draining = null
  }

  return {
    add(parcels) {
      posts.push(parcels)
      draining ??= drain()
    },
    async drained() {
      await draining
    },
  }
}
