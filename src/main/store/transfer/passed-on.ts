import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import { errorCode } from '../../../shared/error-text.ts'
import { isProcessAlive } from '../../base/is-process-alive.ts'
import type { AnyDraft } from '../../decode/draft.ts'
import type { Spool } from './spool.ts'

/** A piece names its process and its time. `.part` is still written to, while that process lives. */
const PIECE = /^spool-(\d+)-([0-9a-f-]+)\.jsonl(\.part)?$/
/** How long drafts wait in a piece for more. */
const PIECE_MS = 250
/** A piece that has as many is finished: an app that ends while it reads one leaves all of it to the next. */
const PIECE_DRAFTS = 200

/** Opens a spool file. */
type OpenSpool = (path: string) => Spool

/**
 * Writes what an app records while another one has the store: pieces of a spool, which that one reads as they come, or this
 * one once it has the store. While the last one is not read, the next one grows, up to `PIECE_DRAFTS`.
 */
export class PassingOn implements Pick<Spool, 'write' | 'awaitAnswer' | 'pending'> {
  readonly #folder: string
  readonly #open: OpenSpool
  #piece: { readonly path: string; readonly spool: Spool }
  #timer: NodeJS.Timeout | null = null
  /** Finished pieces, and how many drafts each has. */
  #passed: readonly { readonly path: string; readonly drafts: number }[] = []

  constructor(folder: string, open: OpenSpool) {
    this.#folder = folder
    this.#open = open
    const left = piecesIn(folder).filter(isOwn)
    this.#piece = this.#begin()
    // A recorder of this process that has died left its piece.
    for (const { path } of left) finish(path)
  }

  write(drafts: readonly AnyDraft[]): ReturnType<Spool['write']> {
    const result = this.#piece.spool.write(drafts)
    this.#timer ??= setTimeout(() => this.#pass(), PIECE_MS)
    return result
  }

  awaitAnswer(...awaited: Parameters<Spool['awaitAnswer']>): void {
    this.#piece.spool.awaitAnswer(...awaited)
    this.#timer ??= setTimeout(() => this.#pass(), PIECE_MS)
  }

  /** The number of drafts that no app has read. */
  pending(): number {
    this.#passed = this.#passed.filter(({ path }) => existsSync(path))
    return this.#passed.reduce((sum, { drafts }) => sum + drafts, this.#piece.spool.pending())
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    finish(this.#piece.path)
  }

  #pass(): void {
    this.#timer = null
    const drafts = this.#piece.spool.pending()
    if (drafts < PIECE_DRAFTS && piecesIn(this.#folder).some((piece) => isOwn(piece) && !piece.isOpen)) {
      this.#timer = setTimeout(() => this.#pass(), PIECE_MS)
      return
    }
    const { path } = this.#piece
    this.#piece = this.#begin()
    this.#passed = [...this.#passed, { path: finish(path), drafts }]
  }

  /** Begins a piece, while the one before is still open: at no moment is it said that nothing more comes. */
  #begin() {
    const path = join(this.#folder, `spool-${process.pid}-${uuidv7()}.jsonl.part`)
    try {
      // Empty: it says that more may come.
      writeFileSync(path, '', { mode: 0o600, flag: 'wx' })
    } catch (error) {
      // A full disk, say: the first drafts are tried again, and counted if they are lost.
      if (errorCode(error) === null) throw error
    }
    return { path, spool: this.#open(path) }
  }
}

/** Returns the pieces that other processes have finished, the oldest first, and whether one of them writes another. */
export function passedOnIn(folder: string): { readonly whole: readonly string[]; readonly isMore: boolean } {
  const pieces = piecesIn(folder).filter((piece) => !isOwn(piece))
  const whole = pieces.filter(({ pid, isOpen }) => !isOpen || !isProcessAlive(pid))
  return { whole: whole.map(({ path }) => path), isMore: whole.length < pieces.length }
}

/** Returns the pieces of a process that writes none at the moment, the oldest first. */
export const passedOnBy = (process: number, folder: string): readonly string[] =>
  piecesIn(folder).flatMap(({ pid, path }) => (pid === process ? [path] : []))

interface Piece {
  readonly path: string
  readonly pid: number
  readonly isOpen: boolean
}

const isOwn = ({ pid }: Piece): boolean => pid === process.pid

function piecesIn(folder: string): readonly Piece[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const [, pid, time, part] = PIECE.exec(name) ?? []
      return time === undefined
        ? []
        : [{ path: join(folder, name), pid: Number(pid), time, isOpen: part !== undefined }]
    })
    .toSorted((one, other) => (one.time < other.time ? -1 : 1))
}

/** Gives a piece to the app that has the store; returns its new path. */
function finish(path: string): string {
  const finished = path.replace(/\.part$/, '')
  if (existsSync(path)) renameSync(path, finished)
  return finished
}
