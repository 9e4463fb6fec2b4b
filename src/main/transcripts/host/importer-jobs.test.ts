import { expect, test } from 'vitest'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { ImportProgress } from '../protocol.ts'
import { ImporterJobs, type ImporterJob } from './importer-jobs.ts'

const START: ImportProgress = {
  files: 9,
  files_done: 0,
  files_unchanged: 0,
  files_deleted: 0,
  sessions: 0,
  file: null,
  bytes: 900,
  bytes_done: 0,
  lines: 0,
  events_added: 0,
  sightings_added: 0,
  events_deleted: 0,
  lines_bad: 0,
  files_passed_over: 0,
  passed_over: [],
  previewing: false,
  bytes_previewed: 0,
  search_covers_since: null,
  done: false,
}

function beginImport() {
  const jobs = new ImporterJobs()
  const job = jobs.begin((number) => ({ type: 'import', job: number, paths: null }))
  const report = (told: Partial<ImportProgress>) =>
    jobs.receive({ type: 'progress', job: job.number, progress: { ...START, ...told } })
  return { jobs, job, report }
}

async function next(job: ImporterJob): Promise<ImportProgress> {
  const { value, done } = await job.progress().next()
  if (done === true) throw new Error('the job reported nothing')
  return value
}

test('each restart adds what all threads before it did, and shows where the present one is', async () => {
  const { job, report } = beginImport()
  report({
    sessions: 2,
    events_added: 20,
    sightings_added: 3,
    events_deleted: 1,
    files_done: 2,
    bytes_done: 200,
    lines: 40,
  })
  expect(await next(job)).toMatchObject({ sessions: 2, events_added: 20 })

  job.restarted()
  // A thread reports before it has read anything.
  report({ files_unchanged: 2, files_done: 2, bytes_done: 200 })
  expect(await next(job)).toMatchObject({
    sessions: 2,
    events_added: 20,
    sightings_added: 3,
    events_deleted: 1,
    lines: 0,
  })
  report({ sessions: 4, events_added: 45, sightings_added: 5, files_done: 6, bytes_done: 600, lines: 90 })
  report({ sessions: 5, events_added: 50, sightings_added: 5, files_done: 7, bytes_done: 700, lines: 99 })
  const second = { sessions: 7, events_added: 70, sightings_added: 8, events_deleted: 1, files_done: 7, lines: 99 }
  expect(await next(job)).toMatchObject({ ...second, bytes_done: 700, done: false })

  job.restarted()
  report({ sessions: 2, events_added: 9, files_done: 9, bytes_done: 900, lines: 20, done: true })
  const all: ImportProgress[] = []
  for await (const progress of job.progress()) all.push(progress)
  const third = { sessions: 9, events_added: 79, sightings_added: 8, events_deleted: 1, files_done: 9, lines: 20 }
  expect(all).toEqual([{ ...START, ...third, bytes_done: 900, done: true }])
})

test('a restart before the first report, or twice without one between, changes no count', async () => {
  const { job, report } = beginImport()
  job.restarted()
  report({ events_added: 5 })
  expect(await next(job)).toMatchObject({ events_added: 5 })
  job.restarted()
  job.restarted()
  report({ events_added: 2 })
  expect(await next(job)).toMatchObject({ events_added: 7 })
})

test('a job that a person stopped between two threads ends with its error', async () => {
  const { jobs, job, report } = beginImport()
  report({ events_added: 5 })
  await next(job)
  jobs.failAll('cancelled', 'stopped')
  job.restarted()
  report({ events_added: 1 })
  const seen: number[] = []
  const reading = async () => {
    for await (const { events_added } of job.progress()) seen.push(events_added)
  }
  await expect(reading()).rejects.toThrow(AspyError)
  expect(seen).toEqual([6])
})
