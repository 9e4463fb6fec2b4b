import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { AnyDraft } from '../../decode/draft.ts'
import { openStore } from '../open-store.ts'
import { PassingOn } from './passed-on.ts'
import { createSpool, type SpoolOptions } from './spool.ts'

const LIMITS = { store_thinking: true, store_tool_io: true, max_thinking_size: 100_000, max_prompt_size: 40 }

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'aspy-spool-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const spoolIn = (dir: string, options: Partial<SpoolOptions> = {}) =>
  createSpool({
    path: join(dir, 'spool.jsonl'),
    hash: (text) => `h${text.length}`,
    limits: LIMITS,
    contents: { unsaved: () => null, put: () => undefined },
    onAwaited: () => undefined,
    ...options,
  })

const prompt = (text: string, keys: readonly string[] = []): AnyDraft => ({
  kind: 'user_prompt',
  source: 'wire',
  payload: { text },
  session_id: 's',
  agent_id: null,
  ts_wall: '2026-11-20T10:00:00.000Z',
  ts_monotonic: null,
  keys,
  parents: [],
})
const persisted = () => undefined
const replayAll = (spool: ReturnType<typeof createSpool>) => {
  const drafts: AnyDraft[] = []
  const result = spool.replay((batch) => void drafts.push(...batch), persisted)
  return { ...result, texts: drafts.map((draft) => (draft.payload as { text: string }).text), drafts }
}

test('drafts come back in order, after a restart too, and the file goes when they are taken', () => {
  const dir = folder()
  const texts = Array.from({ length: 450 }, (_, at) => `prompt ${at}`)
  const spool = spoolIn(dir)
  for (let at = 0; at < texts.length; at += 90) spool.write(texts.slice(at, at + 90).map((text) => prompt(text)))
  expect(statSync(join(dir, 'spool.jsonl')).mode & 0o777).toBe(0o600)
  const again = spoolIn(dir)
  expect(again.pending()).toBe(450)
  const { texts: replayed, unreadable, drafts } = replayAll(again)
  expect(replayed).toEqual(texts)
  expect(unreadable).toBe(0)
  expect(new Set(drafts.flatMap(({ keys }) => keys)).size).toBe(450)
  expect([again.pending(), existsSync(join(dir, 'spool.jsonl'))]).toEqual([0, false])
})

test('what awaits its answer comes back before its request, with the run that waited, and alone too', () => {
  const dir = folder()
  const run = { pid: 7, startedAt: 1 }
  const seen: unknown[] = []
  const spool = spoolIn(dir)
  spool.awaitAnswer({ exchangeId: 'x1', sessionId: 's', drafts: [prompt('x'.repeat(50), ['k'])] }, run)
  expect([spool.pending(), spool.isEmpty()]).toEqual([0, false])
  spool.write([prompt('asked')])
  const again = spoolIn(dir, { onAwaited: ({ exchangeId, drafts }, by) => seen.push([exchangeId, drafts.length, by]) })
  expect(again.pending()).toBe(1)
  expect(again.replay((batch) => seen.push(batch.length), persisted)).toEqual({ replayed: 1, unreadable: 0 })
  expect(seen).toEqual([['x1', 1, run], 1])
  expect(again.isEmpty()).toBe(true)
})

test('drafts are counted wherever they begin in the file', () => {
  // It is read in pieces of 1 MB: the end of a piece falls before, within and after the beginning of a line.
  for (const before of [-2, -1, 0, 1, 8, 9, 10]) {
    const dir = folder()
    const path = join(dir, 'spool.jsonl')
    const [left, right] = ['{"content":"', '"}\n']
    appendFileSync(path, left + 'x'.repeat(1024 * 1024 - before - left.length - right.length) + right)
    spoolIn(dir).write([prompt('one'), prompt('two')])
    appendFileSync(path, readFileSync(path).subarray(-100, -1))
    expect(spoolIn(dir).pending(), String(before)).toBe(2)
  }
})

test('a last line cut short costs itself alone', () => {
  const dir = folder()
  const path = join(dir, 'spool.jsonl')
  spoolIn(dir).write([prompt('one')])
  appendFileSync(path, readFileSync(path).subarray(0, 40))
  const spool = spoolIn(dir)
  expect(spool.pending()).toBe(1)
  spool.write([prompt('two')])
  expect(replayAll(spool)).toMatchObject({ texts: ['one', 'two'], unreadable: 1, replayed: 2 })
})

test('past its bound, and where the disk refuses, drafts are lost and told; the rest stays readable', () => {
  const dir = folder()
  const spool = spoolIn(dir, { maxBytes: () => 700 })
  expect(spool.write([prompt('one')])).toMatchObject({ spooled: 1, lost: 0, error: null })
  const refused = spool.write([prompt('two'), prompt('x'.repeat(39)), prompt('three')])
  expect(refused).toMatchObject({
    spooled: 0,
    lost: 3,
    error: expect.objectContaining({ message: expect.stringContaining('is full') }),
  })
  expect(replayAll(spool).texts).toEqual(['one'])
  const nowhere = spoolIn(join(dir, 'missing'))
  expect(nowhere.write([prompt('four')])).toMatchObject({
    spooled: 0,
    lost: 1,
    error: expect.objectContaining({ code: 'ENOENT' }),
  })
})

test('a replay that is refused goes on with the batch that was refused', () => {
  const spool = spoolIn(folder())
  spool.write(Array.from({ length: 120 }, (_, at) => prompt(String(at))))
  let calls = 0
  const taken: number[] = []
  const refuseOnce = (batch: readonly AnyDraft[]) => {
    calls += 1
    if (calls === 2) throw new Error('locked')
    taken.push(batch.length)
  }
  expect(() => spool.replay(refuseOnce, persisted)).toThrow('locked')
  expect(spool.pending()).toBe(70)
  expect(spool.replay(refuseOnce, persisted)).toEqual({ replayed: 70, unreadable: 0 })
  expect(taken).toEqual([50, 50, 20])
})

test('the file goes only once what was taken is on the disk', () => {
  const dir = folder()
  const path = join(dir, 'spool.jsonl')
  const spool = spoolIn(dir)
  spool.write([prompt('kept')])
  const fail = () => {
    throw new Error('the disk is gone')
  }
  expect(() => spool.replay(() => undefined, fail)).toThrow('the disk is gone')
  expect([spool.pending(), spoolIn(dir).pending()]).toEqual([0, 1])
  spool.write([prompt('more')])
  const taken: string[] = []
  const take = (drafts: readonly AnyDraft[]) => {
    taken.push(...drafts.map(({ payload }) => (payload as { text: string }).text))
  }
  spool.replay(take, () => expect(existsSync(path)).toBe(true))
  expect([taken, existsSync(path)]).toEqual([['more'], false])
})

test('what only identifies does not reach the disk, caps hold, blocks of requests come along', () => {
  const dir = folder()
  const blocks = new Map([['ab', '{"type":"text","text":"block"}']])
  const put: string[] = []
  const contents = { unsaved: (hash: string) => blocks.get(hash) ?? null, put: (text: string) => void put.push(text) }
  const spool = spoolIn(dir, { contents })
  const secret = `${'words '.repeat(20)}tail`
  const request = {
    ...prompt('', ['exchange:x:request']),
    kind: 'model_request',
    payload: {
      request: {
        base: null,
        keep: 0,
        add: [{ role: 'user', blocks: ['ab'] }],
        system: ['ab'],
        tools: ['gone'],
        parameters: {},
      },
    },
  } as unknown as AnyDraft
  spool.write([{ ...prompt(secret), text_identity: { text: secret, within_ms: 10_000 } }, request, request])
  const file = readFileSync(join(dir, 'spool.jsonl'), 'utf8')
  expect(file).not.toContain('tail')
  expect(file).toContain('[truncated, 124 bytes total]')
  expect(file.match(/\\"block\\"/g)).toHaveLength(1)
  replayAll(spoolIn(dir, { contents }))
  expect(put).toEqual(['{"type":"text","text":"block"}'])
})

test('replayed twice, everything is stored once, and meets what was stored before', () => {
  const dir = folder()
  const store = openStore({ dataDir: dir, hashKey: Buffer.alloc(32, 1), limits: { ...LIMITS, max_prompt_size: 1000 } })
  onTestFinished(() => store.close())
  const identified = (draft: AnyDraft, text: string): AnyDraft => ({
    ...draft,
    text_identity: { text, within_ms: 10_000 },
  })
  const spool = spoolIn(dir)
  spool.write([prompt('keyless'), identified(prompt('hello', ['prompt:p1']), 'hello')])
  const bytes = readFileSync(join(dir, 'spool.jsonl'))
  expect(
    spool.replay(
      // With the end of the turn before the second prompt.
      (drafts) => expect(store.ingest.append(drafts).added).toHaveLength(3),
      () => store.ingest.persist(),
    ),
  ).toMatchObject({
    replayed: 2,
  })
  appendFileSync(join(dir, 'spool.jsonl'), bytes)
  spoolIn(dir).replay(
    (drafts) =>
      expect(store.ingest.append(drafts)).toMatchObject({
        added: [],
        corrected: [],
        joined: 2,
        dropped: 0,
        deleted: 0,
      }),
    () => store.ingest.persist(),
  )
})

test('an app that passes on what it records always has an open piece, so that another one looks for more', async () => {
  const dir = folder()
  /** The open pieces at the beginning of each new one, itself included. */
  const open: number[] = []
  const begin = () =>
    new PassingOn(dir, (path) => {
      open.push(readdirSync(dir).filter((name) => name.endsWith('.part')).length)
      return spoolIn(dir, { path })
    })
  begin().write([prompt('one')])
  await vi.waitFor(() => expect(open).toEqual([1, 2]))
  // As if its recorder had died, and another one had begun.
  begin()
  expect(open).toEqual([1, 2, 2])
  expect(readdirSync(dir).filter((name) => !name.endsWith('.part'))).toHaveLength(2)
})
