import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import { isProcessAlive } from '../../base/is-process-alive.ts'
import type { AnyDraft } from '../../decode/draft.ts'
import type { Spool } from './spool.ts'

/** A piece names its process and its time. `.part` is still written to, while that process lives. */
const PIECE = /^spool-(\d+)-([0-9a-f-]+)\.jsonl(\.part)?$/
/** How long drafts wait in a piece for more. */
const PIECE_MS = 250

/** Opens a spool file. */
type OpenSpool = (path: string) => Spool

/**
 * Writes what an app still records after another one has taken over its store: pieces of a spool, which the other one reads
 * as they come. While it has not read the last one, the next one grows.
 */
export class PassingOn implements Pick<Spool, 'write' | 'pending'> {
  readonly #folder: string
  readonly #open: OpenSpool
  #piece: { readonly path: string; readonly spool: Spool }
  #timer: NodeJS.Timeout | null = null

  constructor(folder: string, open: OpenSpool) {
    this.#folder = folder
    this.#open = open
    // A recorder of this process that has died left its piece.
    for (const { path } of piecesIn(folder).filter(isOwn)) finish(path)
    this.#piece = this.#begin()
  }

  write(drafts: readonly AnyDraft[]): ReturnType<Spool['write']> {
    const result = this.#piece.spool.write(drafts)
    this.#timer ??= setTimeout(() => this.#pass(), PIECE_MS)
    return result
  }

  pending(): number {
    return this.#piece.spool.pending()
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    finish(this.#piece.path)
  }

  #pass(): void {
    this.#timer = null
    if (piecesIn(this.#folder).some((piece) => isOwn(piece) && !piece.isOpen)) {
      this.#timer = setTimeout(() => this.#pass(), PIECE_MS)
      return
    }
    finish(this.#piece.path)
    this.#piece = this.#begin()
  }

  #begin() {
    const path = join(this.#folder, `spool-${process.pid}-${uuidv7()}.jsonl.part`)
    // Empty: it says that more may come.
    writeFileSync(path, '', { mode: 0o600, flag: 'wx' })
    return { path, spool: this.#open(path) }
  }
}

/** Returns the pieces that other processes have finished, the oldest first, and whether one of them writes another. */
export function passedOnIn(folder: string): { readonly whole: readonly string[]; readonly isMore: boolean } {
  const pieces = piecesIn(folder).filter((piece) => !isOwn(piece))
  const whole = pieces.filter(({ pid, isOpen }) => !isOpen || !isProcessAlive(pid))
  return { whole: whole.map(({ path }) => path), isMore: whole.length < pieces.length }
}

/** Removes what is left of a piece that was read; returns whether it held anything. */
export function removePiece(path: string): boolean {
  const isLeft = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
  rmSync(path, { force: true })
  return isLeft
}

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

function finish(path: string): void {
  if (existsSync(path)) renameSync(path, path.replace(/\.part$/, ''))
}
