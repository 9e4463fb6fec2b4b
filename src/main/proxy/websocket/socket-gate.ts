import { randomUUID } from 'node:crypto'
import { MAX_GATED_BYTES, type Gate, type GatedRequest, type GateVisit } from '../gate.ts'
import { messagesErrorBody, type MessagesError } from '../messages-error.ts'
import { FrameEdges } from './frame-edges.ts'
import { AnswerFrames, SentFrames } from './kept-frames.ts'
import type { SocketCapture } from './socket-capture.ts'

/** Close frame with status 1000 (RFC 6455, section 5.5.1). */
const CLOSE = Buffer.from([0x88, 2, 0x03, 0xe8])

export interface SocketGateOptions {
  readonly gate: Gate
  readonly captured: SocketCapture | null
  /** The client's handshake. */
  readonly handshake: Pick<GatedRequest, 'method' | 'path' | 'headers'>
  /** Headers of the upstream's answer to it. */
  readonly answer: readonly string[]
  readonly toUpstream: (bytes: Uint8Array) => void
  /** Sends the client the refusal of a message, then closes the connection. */
  readonly refuse: (frames: Buffer) => void
  /** Stops and continues reading from the client. */
  readonly pause: () => void
  readonly resume: () => void
}

/** A message of the client that is not forwarded as a whole yet. */
interface Waiting {
  readonly pieces: Uint8Array[]
  /** null: it needs no decision. */
  readonly visit: GateVisit | null
  verdict: { readonly refusal: MessagesError | null } | null
  isWhole: boolean
}

/**
 * Holds each message of a client until the gate has decided about it. Messages keep their order; control frames pass
 * meanwhile, so that the connection stays alive. Without a gate, bytes pass unchanged; a gate may be set at any
 * message.
 */
export class SocketGate {
  readonly #options: SocketGateOptions
  readonly #fromClient = new FrameEdges()
  readonly #fromUpstream = new FrameEdges()
  readonly #connection: string
  readonly #sent: SentFrames
  readonly #answers = new AnswerFrames()
  #waiting: Waiting[] = []
  /** The message whose frames arrive. */
  #open: Waiting | null = null
  /** State of the message that was forwarded last: the upstream answers it until the next one. */
  #answered: GateVisit | null = null
  #isOn = false
  #index = 0
  #waitingBytes = 0
  #refusal: Buffer | null = null
  #isOver = false
  /** A message that needs no decision arrives. */
  #isPassing = false

  constructor(options: SocketGateOptions) {
    this.#options = options
    this.#connection = options.captured?.exchangeId ?? randomUUID()
    this.#sent = new SentFrames(options.answer)
    this.#answers.begin(true)
    this.#turn()
  }

  fromClient(chunk: Buffer): void {
    if (this.#isOver) return
    if (this.#waiting.length === 0 && this.#fromClient.isBetweenMessages) this.#turn()
    if (this.#isOn) this.#gateChunk(chunk)
    else this.#passChunk(chunk)
  }

  /** Caps may have been set, or all of them removed. */
  #turn(): void {
    const { gate, handshake } = this.#options
    const isOn = gate.gatesSocket(handshake.path)
    if (isOn && !this.#isOn && this.#index > 0) this.#answers.begin(false)
    this.#isOn = isOn
  }

  #passChunk(chunk: Buffer): void {
    this.#options.toUpstream(chunk)
    this.#options.captured?.fromClient(chunk)
    for (const { bytes, startsMessage, endsMessage } of this.#fromClient.cut(chunk)) {
      if (startsMessage) this.#index += 1
      this.#isPassing = startsMessage || this.#isPassing
      if (this.#isPassing) this.#sent.add(bytes)
      if (endsMessage) this.#isPassing = false
    }
  }

  #gateChunk(chunk: Buffer): void {
    for (const { bytes, startsMessage, endsMessage } of this.#fromClient.cut(chunk)) {
      if (this.#isOver) return
      this.#options.captured?.fromClient(bytes)
      if (startsMessage) this.#begin()
      const message = this.#open
      if (message === null) {
        this.#options.toUpstream(bytes)
        continue
      }
      message.pieces.push(bytes)
      this.#sent.add(bytes)
      this.#waitingBytes += bytes.byteLength
      message.visit?.requestBytes(bytes)
      if (!endsMessage) continue
      message.isWhole = true
      this.#open = null
      message.visit?.requestEnd()
    }
    this.#flush()
    if (this.#waitingBytes > MAX_GATED_BYTES) this.#options.pause()
  }

  /** Tracks the upstream's frames: a refusal may only be sent between two messages. */
  fromUpstream(chunk: Buffer): void {
    this.#fromUpstream.cut(chunk)
    if (this.#isOn) this.#answers.add(chunk)
    this.#sendRefusal()
  }

  /** The connection has ended, in any way. */
  leave(): void {
    this.#isOver = true
    for (const { visit } of this.#waiting) visit?.leave()
    this.#waiting = []
    this.#answered?.leave()
  }

  #begin(): void {
    const { gate, captured, handshake, answer } = this.#options
    this.#index += 1
    // The client has the complete answer, whose cost is stored by now: nothing is reserved for it when the next message
    // is priced.
    this.#finishAnswered(null)
    const socket = {
      connection: this.#connection,
      index: this.#index,
      answer,
      earlier: this.#sent.soFar(),
      answered: this.#answers.take(this.#fromUpstream.isBetweenMessages),
    }
    const visit = gate.enter({ ...handshake, id: captured?.exchangeId ?? null, socket })
    const message: Waiting = { pieces: [], visit, verdict: visit === null ? { refusal: null } : null, isWhole: false }
    this.#open = message
    this.#waiting.push(message)
    void visit?.verdict.then((refusal) => {
      message.verdict = { refusal }
      this.#flush()
    })
  }

  /** Forwards the decided messages, in order. An incomplete control frame is completed first. */
  #flush(): void {
    for (;;) {
      const [message] = this.#waiting
      if (message === undefined || message.verdict === null || this.#isOver) return
      if (this.#open === null && !this.#fromClient.isBetweenFrames) return
      const { refusal } = message.verdict
      if (refusal !== null) return this.#refuse(refusal)
      for (const piece of message.pieces.splice(0)) {
        this.#waitingBytes -= piece.byteLength
        this.#options.toUpstream(piece)
      }
      this.#options.resume()
      if (!message.isWhole) return
      this.#waiting.shift()
      this.#finishAnswered(message.visit)
    }
  }

  #finishAnswered(next: GateVisit | null): void {
    this.#answered?.finish()
    this.#answered = next
  }

  /**
   * Ends the connection with the refusal: later messages may be compressed with the refused one, which the upstream does not
   * have.
   */
  #refuse(refusal: MessagesError): void {
    const event = {
      type: 'error',
      status: refusal.status,
      ...(JSON.parse(messagesErrorBody(refusal).toString()) as object),
    }
    const frame = textFrame(Buffer.from(JSON.stringify(event)))
    this.leave()
    this.#options.captured?.fromUpstream(frame)
    this.#refusal = Buffer.concat([frame, CLOSE])
    this.#sendRefusal()
  }

  #sendRefusal(): void {
    if (this.#refusal === null || !this.#fromUpstream.isBetweenMessages) return
    const frames = this.#refusal
    this.#refusal = null
    this.#options.refuse(frames)
  }
}

/** Returns an uncompressed text frame of a server. */
function textFrame(payload: Buffer): Buffer {
  const { length } = payload
  if (length < 126) return Buffer.concat([Buffer.from([0x81, length]), payload])
  const head = Buffer.from([0x81, 126, 0, 0])
  head.writeUInt16BE(length, 2)
  return Buffer.concat([head, payload])
}
