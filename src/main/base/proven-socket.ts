import { connect, type Socket } from 'node:net'
import { createNonce, isProof, PROOF_HEADER, PROOF_PATH, type Challenge } from './proof.ts'

/** The program that answers on the app's port did not prove that it knows the key. */
export class UnprovenError extends Error {
  readonly port: number

  constructor(port: number) {
    super(`the program on port ${port} cannot prove that it is Aspy`)
    this.name = 'UnprovenError'
    this.port = port
  }
}

export interface ProvenSocketOptions {
  readonly port: number
  /** The key that will be sent, or shown to be known. It does not leave this process before the proof. */
  readonly keyName: string
  readonly key: string
  readonly signal?: AbortSignal | undefined
}

/** Time in ms for connecting and for the proof. */
const PROOF_MS = 2000
/** An answer's head is about 200 bytes. */
const MAX_HEAD_BYTES = 8192

/**
 * Connects to 127.0.0.1 and has the other side prove itself on this very connection, which is then free for requests: no
 * other program can take its place. Rejects with `UnprovenError` for a wrong answer, or with the socket's error.
 */
export async function openProvenSocket(options: ProvenSocketOptions): Promise<Socket> {
  const { port, keyName, key, signal } = options
  const challenge: Challenge = { keyName, port, nonce: createNonce() }
  const limit = AbortSignal.timeout(PROOF_MS)
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  try {
    const head = await headOf(socket, challenge, signal === undefined ? limit : AbortSignal.any([limit, signal]))
    if (!isProof(answerIn(head), key, challenge)) throw new UnprovenError(port)
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/**
 * Sends the challenge and reads the head of the answer. Nothing may follow the head: the answer has no body. Hooks and the
 * status line run this on Node 20, which has no `Promise.withResolvers`.
 */
function headOf(socket: Socket, { keyName, port, nonce }: Challenge, signal: AbortSignal): Promise<string> {
  let [resolve, reject]: [(head: string) => void, (error: Error) => void] = [() => undefined, () => undefined]
  const promise = new Promise<string>((...settle) => ([resolve, reject] = settle))
  let head = ''
  const onReadable = () => {
    for (let bytes = read(socket); bytes !== null; bytes = read(socket)) head += bytes.toString('latin1')
    const end = head.indexOf('\r\n\r\n')
    if (end >= 0 && end + 4 === head.length) resolve(head)
    else if (end >= 0 || head.length > MAX_HEAD_BYTES) reject(new UnprovenError(port))
  }
  const onEnd = () => reject(new UnprovenError(port))
  const onAbort = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
  socket.on('readable', onReadable).on('end', onEnd).on('error', reject)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  socket.write(
    `GET ${PROOF_PATH}?key=${encodeURIComponent(keyName)}&nonce=${nonce} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`,
  )
  return promise.finally(() => {
    socket.off('readable', onReadable).off('end', onEnd).off('error', reject)
    signal.removeEventListener('abort', onAbort)
    // A failed socket is destroyed, and may report another error.
    socket.once('error', () => undefined)
  })
}

const read = (socket: Socket): Buffer | null => socket.read() as Buffer | null

/** Returns the proof in an answer's head; '' for any other answer. */
function answerIn(head: string): string {
  const [status = '', ...fields] = head.split('\r\n')
  if (!status.startsWith('HTTP/1.1 204 ')) return ''
  const prefix = `${PROOF_HEADER}:`
  return (
    fields
      .find((field) => field.toLowerCase().startsWith(prefix))
      ?.slice(prefix.length)
      .trim() ?? ''
  )
}
