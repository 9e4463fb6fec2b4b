/** The text format of Prometheus (version 0.0.4), read as strictly as Prometheus reads it; throws where a line is wrong. */

export interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly samples: readonly Sample[]
}

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/y
const LABEL = /[a-zA-Z_][a-zA-Z0-9_]*/y
const NUMBER = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?Inf|NaN)$/

export function readPrometheusText(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const families = new Map<string, { name: string; type: string; help: string; samples: Sample[] }>()
  const seen = new Set<string>()
  let help: readonly [string, string] | null = null
  for (const line of text.split('\n')) {
    if (line === '') continue
    const comment = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line)
    if (comment !== null) {
      const [, what, name = '', rest = ''] = comment
      if (what === 'HELP') help = [name, rest]
      else {
        if (families.has(name)) throw new Error(`${name} is described twice`)
        if (!['counter', 'gauge', 'histogram', 'summary', 'untyped'].includes(rest)) throw new Error(`a type ${rest}`)
        families.set(name, { name, type: rest, help: help?.[0] === name ? help[1] : '', samples: [] })
      }
      continue
    }
    if (line.startsWith('#')) continue
    const sample = readSample(line)
    const id = JSON.stringify([sample.name, Object.entries(sample.labels).toSorted()])
    if (seen.has(id)) throw new Error(`the same sample twice: ${line}`)
    seen.add(id)
    familyOf(families, sample.name, line).samples.push(sample)
  }
  for (const family of families.values()) if (family.type === 'histogram') checkHistogram(family)
  return families
}

function familyOf<T extends { type: string }>(families: ReadonlyMap<string, T>, name: string, line: string): T {
  const base = name.replace(/_(bucket|sum|count)$/, '')
  const found = families.get(name) ?? (families.get(base)?.type === 'histogram' ? families.get(base) : undefined)
  if (found === undefined) throw new Error(`nothing describes ${line}`)
  return found
}

function readSample(line: string): Sample {
  let at = 0
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const match = pattern.exec(line)
    if (match === null) throw new Error(`column ${at} of ${line}`)
    at = pattern.lastIndex
    return match[0]
  }
  const name = take(NAME)
  const labels: Record<string, string> = {}
  if (line[at] === '{') {
    at += 1
    while (line[at] !== '}') {
      const label = take(LABEL)
      if (label in labels) throw new Error(`the label ${label} twice: ${line}`)
      take(/="/y)
      labels[label] = take(/(?:[^"\\\n]|\\["\\n])*/y).replaceAll(/\\(["\\n])/g, (_, one) => (one === 'n' ? '\n' : one))
      take(/"/y)
      if (line[at] === ',') at += 1
      else if (line[at] !== '}') throw new Error(`column ${at} of ${line}`)
    }
    at += 1
  }
  const value = line.slice(at).trim()
  if (line[at] !== ' ' || !NUMBER.test(value)) throw new Error(`the value of ${line}`)
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) }
}

/** Buckets rise, end with +Inf, and +Inf is the count. */
function checkHistogram({ name, samples }: Family): void {
  const series = Map.groupBy(samples, ({ labels }) => JSON.stringify({ ...labels, le: undefined }))
  for (const [of, own] of series) {
    const buckets = own.filter((sample) => sample.name === `${name}_bucket`)
    const bounds = buckets.map(({ labels }) => Number((labels['le'] ?? '').replace('Inf', 'Infinity')))
    const isRising = (numbers: readonly number[]) =>
      numbers.every((one, at) => at === 0 || (numbers[at - 1] ?? 0) <= one)
    const count = own.find((sample) => sample.name === `${name}_count`)?.value
    const sum = own.find((sample) => sample.name === `${name}_sum`)?.value
    if (!isRising(bounds) || !isRising(buckets.map(({ value }) => value)))
      throw new Error(`buckets of ${name}${of} fall`)
    if (bounds.at(-1) !== Infinity || buckets.at(-1)?.value !== count)
      throw new Error(`${name}${of} has no whole count`)
    if (sum === undefined) throw new Error(`${name}${of} has no sum`)
  }
}
