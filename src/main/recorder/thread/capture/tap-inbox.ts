import { setImmediate as turn } from 'node:timers/promises'
import { messagesOf } from '../../../proxy/protocol/parcel.ts'
import type { TapMessage, TapParcel } from '../../../proxy/protocol/tap-protocol.ts'

/** Queue of the tap's posts for the decoders. */
export interface TapInbox {
  add(parcels: readonly TapParcel[]): void
  /** Settles when everything added has been decoded. */
  drained(): Promise<void>
}

export interface TapInboxOptions {
  receive(message: TapMessage): void
  /** Settles when everything received is decoded. */
  idle(): Promise<void>
  /** In milliseconds. */
  now?(): number
}

/** Time for decoding between two turns of the event loop, or as long as a turn takes. One post may take longer. */
const TURN_MS = 5
/** Bounds that time, because commits wait for it. */
const MAX_MS = 50

/**
 * Decodes one post after another and yields to the event loop every few milliseconds. A thread handles all waiting messages
 * before any timer, so a flood of posts would otherwise delay commits, hooks, calls and the heartbeat. Yielding after every
 * post would be too slow: during an import or a rebuild, a turn takes longer than posts take to arrive. Decoding therefore
 * gets as much time as a turn takes.
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
      lasts = Math.min(MAX_MS, Math.max(TURN_MS, begun - left))
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
