import { join } from 'node:path'
import { line, lines, type Told } from './scene.ts'

/** Situations of actors. */
export const ACTORS: { readonly [name: string]: Told } = {
  agentsMixed(s) {
    const a = s.session('A')
    a.write('a1', 'a.ts', lines(line('a1', 1), '}', line('a1', 2), '}', line('a1', 3), '}'))
    s.agent(a, 'x', (x) =>
      s.agent(a, 'y', (y) =>
        s.agent(a, 'z', (z) => {
          x.read('x0', 'a.ts')
          y.edit('y1', 'a.ts', line('a1', 2), line('y1', 2))
          x.edit('x1', 'a.ts', line('a1', 1), line('x1', 1) + '\n' + line('x1', 4))
          z.write('z1', 'a.ts', s.text('a.ts').replace(line('a1', 3), line('z1', 3)))
          y.edit('y2', 'a.ts', line('x1', 4) + '\n', '')
          z.edit('z2', 'a.ts', line('x1', 1), line('x1', 1) + '\n' + line('z2', 5))
          x.bash('x3', `sed -i '1i ${line('x3', 6)}' a.ts`)
          y.read('y4', 'a.ts')
        }),
      ),
    )
    return { 'a.ts': '? x1 z2 a1 y1 a1 z1 a1' }
  },
  backgroundAgent(s) {
    const a = s.session('A')
    a.write('a1', 'a.ts', lines(line('a1', 1), line('a1', 2), line('a1', 3)))
    s.agent(a, 'bg', (g) => {
      g.edit('g1', 'a.ts', line('a1', 1), line('g1', 1))
      a.edit('a2', 'a.ts', line('a1', 2), line('a2', 2))
      a.told.now = s.next()
      a.told.answer('done')
      a.prompt('next')
      a.write('a3', 'b.ts', lines(line('a3', 1)))
      g.edit('g2', 'a.ts', line('a1', 3), line('g2', 3))
      g.edit('g3', 'b.ts', line('a3', 1), line('a3', 1) + '\n' + line('g3', 2))
    })
    return { 'a.ts': 'g1 a2 g2', 'b.ts': 'a3 g3' }
  },
  parallel(s) {
    const a = s.session('A')
    const p = join(s.root, 'a.ts')
    a.write('a1', 'a.ts', lines(line('a1', 1), line('a1', 2), line('a1', 3)))
    // two calls asked in one answer; the second's result is recorded first
    a.told.now = s.next()
    const e = (o: string, n: string) => ({ file_path: p, old_string: o, new_string: n })
    a.told.tool('Edit', e(line('a1', 1), line('a2', 1)), null, s.idOf('a2'))
    a.told.tool('Edit', e(line('a2', 1), line('a3', 1)), null, s.idOf('a3'))
    a.told.now = s.next()
    a.told.result(s.idOf('a2'), { output: 'ok' }).result(s.idOf('a3'), { output: 'ok' })
    s.person('a.ts', lines(line('a3', 1), line('a1', 2), line('a1', 3)))
    return { 'a.ts': 'a3 a1 a1' }
  },
  fork(s) {
    const a = s.session('A')
    a.write('a1', 'a.ts', lines(line('a1', 1), line('a1', 2), line('a1', 3), line('a1', 4)))
    a.edit('a2', 'a.ts', line('a1', 4), line('a2', 4))
    const b = s.fork(a, 'B')
    b.edit('b1', 'a.ts', line('a1', 1), line('b1', 1))
    a.edit('a3', 'a.ts', line('a1', 2), line('a3', 2))
    b.edit('b2', 'a.ts', line('a1', 3), line('b2', 3))
    a.edit('a4', 'a.ts', line('b1', 1), line('a4', 1))
    return { 'a.ts': 'a4 a3 b2 a2' }
  },
  formattedByHook(s) {
    const a = s.session('A')
    a.write('a1', 'a.ts', lines('  const alpha = one(11)', line('a1', 2)))
    s.run('black a.ts')
    a.read('a2', 'a.ts')
    a.edit('a3', 'a.ts', line('a1', 2), line('a3', 2))
    s.run('black a.ts')
    a.edit('a4', 'a.ts', line('a3', 2), line('a4', 2))
    return { 'a.ts': 'a1 a4' }
  },
  twoWhoWrite(s) {
    const [a, b] = [s.session('A'), s.session('B')]
    a.write('a1', 'a.ts', lines(line('a1', 1), '}', '', line('a1', 2), '}'))
    b.write('b1', 'a.ts', lines(line('b1', 1), '}', '', line('a1', 2), '}', '', line('b1', 3), '}'))
    s.person('a.ts', lines(line('b1', 1), '}', '', line('p', 5), '}', '', line('b1', 3), '}'))
    a.write(
      'a2',
      'a.ts',
      lines(line('b1', 1), '}', '', line('p', 5), '}', '', line('b1', 3), '}', '', line('a2', 4), '}'),
    )
    return { 'a.ts': 'b1 a1 a1 seen b1 b1 b1 ? a2 a2 a2' }
  },
  movedByPersonBetween(s) {
    const a = s.session('A')
    const all = [line('a1', 1), '{', line('a1', 2), '}', line('a1', 3), '{', line('a1', 4), '}']
    a.write('a1', 'a.ts', lines(...all))
    s.person('a.ts', lines(...all.slice(4), line('p', 5), ...all.slice(0, 4)))
    a.edit('a2', 'a.ts', line('a1', 2), line('a2', 2))
    a.read('a3', 'a.ts', 3, 5)
    s.person('a.ts', s.text('a.ts').replace(line('p', 5), `${line('p', 6)}\n}`))
    return { 'a.ts': 'a1 ? a1 ? ? ? a1 ? a2 ?' }
  },
  writeAfterPerson(s) {
    const a = s.session('A')
    a.write('a1', 'a.ts', lines(line('a1', 1), line('a1', 2), '}', line('a1', 3), '}'))
    s.person('a.ts', lines(line('a1', 1), line('p', 4), line('a1', 2), '}', line('p', 5), '}'))
    a.write('a2', 'a.ts', lines(line('a1', 1), line('p', 4), line('a2', 6), '}', line('p', 5), '}'))
    return { 'a.ts': 'a1 seen a2 ? seen a1' }
  },
  personReverts(s) {
    const a = s.session('A')
    const v = line('a1', 2)
    a.write('a1', 'a.ts', lines(line('a1', 1), v, line('a1', 3)))
    a.edit('a2', 'a.ts', v + '\n', '')
    // a person puts it back
    s.person('a.ts', lines(line('a1', 1), v, line('p', 5), line('a1', 3)))
    a.edit('a3', 'a.ts', line('a1', 3), line('a3', 3))
    return { 'a.ts': 'a1 ? ? a3' }
  },
  multiEdit(s) {
    const a = s.session('A')
    a.write('a1', 'a.ts', lines('aaaa ' + line('a2', 1), 'aaaa', line('a1', 2), '}'))
    a.edit('a2', 'a.ts', 'aaa', 'a', true)
    const p = join(s.root, 'a.ts')
    const edits = [
      { old_string: line('a1', 2), new_string: line('a3', 2) + '\n' + line('a3', 3) },
      { old_string: line('a3', 3), new_string: line('a3', 4) },
      { old_string: '}', new_string: '}\n}' },
    ]
    let t = s.text('a.ts')
    for (const e of edits) t = t.replace(e.old_string, e.new_string)
    a.call('a3', 'MultiEdit', { file_path: p, edits }, 'updated')
    s.person('a.ts', t)
    return { 'a.ts': 'a2 a2 a3 a3 ? ?' }
  },
  overlap(s) {
    const a = s.session('A')
    a.write('a1', 'a.ts', lines('}', '}', '}', '}', '}', line('a1', 1)))
    a.edit('a2', 'a.ts', '}\n}', '}', true)
    a.write('a3', 'b.ts', lines('aaaaa', 'aa aa', line('a3', 2)))
    a.edit('a4', 'b.ts', 'aa', 'aaa', true)
    return { 'a.ts': '? ? a1 a1', 'b.ts': 'a4 a4 a3' }
  },
  emptyEdit(s) {
    const a = s.session('A')
    s.person('a.ts', '')
    a.read('a0', 'a.ts')
    a.edit('a1', 'a.ts', '', lines(line('a1', 1), line('a1', 2)))
    a.edit('a2', 'n.ts', '', lines(line('a2', 1), line('a2', 2)))
    return { 'a.ts': 'a1 a1', 'n.ts': 'a2 a2' }
  },
  editDollar(s) {
    const a = s.session('A')
    a.write('a1', 'a.ts', lines(line('a1', 1), line('a1', 2)))
    a.edit('a2', 'a.ts', line('a1', 2), '$& $1 $$ ' + line('a2', 2))
    a.bash('a3', `sed -i 's/call_1/$\\&x/' a.ts`)
    return { 'a.ts': '? a2' }
  },
  notebook(s) {
    const nb = (cells: string[]) =>
      JSON.stringify(
        {
          cells: cells.map((c, i) => ({ cell_type: 'code', id: `c${i}`, metadata: {}, outputs: [], source: [c] })),
          metadata: {},
          nbformat: 4,
          nbformat_minor: 5,
        },
        null,
        1,
      )
    const a = s.session('A')
    s.person('n.ipynb', nb([line('p', 1), line('p', 2)]))
    const step = (label: string, before: string[], after: string[], more: object) => {
      const [o, u] = [nb(before), nb(after)]
      a.call(
        label,
        'NotebookEdit',
        { notebook_path: join(s.root, 'n.ipynb'), new_source: 'x', ...more },
        'Updated cell',
        { original_file: o, updated_file: u, edit_mode: 'replace', notebook_path: join(s.root, 'n.ipynb') },
      )
      s.person('n.ipynb', u)
    }
    step('a1', [line('p', 1), line('p', 2)], [line('p', 1), line('a1', 2)], { cell_id: 'c1', edit_mode: 'replace' })
    step('a2', [line('p', 1), line('a1', 2)], [line('p', 1), line('a2', 3), line('a1', 2)], {
      cell_id: 'c0',
      edit_mode: 'insert',
    })
    step('a3', [line('p', 1), line('a2', 3), line('a1', 2)], [line('a2', 3), line('a1', 2)], {
      cell_id: 'c0',
      edit_mode: 'delete',
    })
    return {
      'n.ipynb': 'seen seen seen seen seen seen seen seen ? ? ? ? ? ? ? ? ? a1 seen seen seen seen seen seen seen',
    }
  },
  notebookRaw(s) {
    const a = s.session('A')
    const nb = (cells: string[]) =>
      JSON.stringify({ cells: cells.map((c, i) => ({ cell_type: 'code', id: `c${i}`, source: [c] })) }, null, 1)
    a.write('a1', 'n.ipynb', nb([line('a1', 1), line('a1', 2)]))
    a.call(
      'a2',
      'NotebookEdit',
      { notebook_path: join(s.root, 'n.ipynb'), new_source: line('a2', 2), cell_id: 'c1' },
      'Updated cell c1',
    )
    s.person('n.ipynb', nb([line('a1', 1), line('a2', 2)]))
    return { 'n.ipynb': 'a1 a1 a1 a1 a1 a1 a1 a1 a1 a1 a1 a1 ? ? ? a1 a1 a1' }
  },
  codexPatches(s) {
    const c = s.codex()
    const add = (id: string, ...lines: string[]) =>
      c.call(
        s.idOf(id),
        'apply_patch',
        { input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') + '\n' },
        { output: 'Success. Updated the following files:' },
      )
    add(
      'c1',
      '*** Add File: a.ts',
      ...lines('def one():', '  ' + line('c1', 1), '  return x', '', 'def two():', '  ' + line('c1', 2), '  return x')
        .trimEnd()
        .split('\n')
        .map((l) => '+' + l),
      '*** Add File: b.ts',
      '+' + line('c1', 3),
    )
    s.person(
      'a.ts',
      lines('def one():', '  ' + line('c1', 1), '  return x', '', 'def two():', '  ' + line('c1', 2), '  return x'),
    )
    s.person('b.ts', lines(line('c1', 3)))
    add(
      'c2',
      '*** Update File: a.ts',
      '@@ def two():',
      '   ' + line('c1', 2),
      '-  return x',
      '+  ' + line('c2', 4),
      '*** Update File: b.ts',
      '*** Move to: d/e.ts',
      '@@',
      ' ' + line('c1', 3),
      '+' + line('c2', 5),
    )
    s.person(
      'a.ts',
      lines(
        'def one():',
        '  ' + line('c1', 1),
        '  return x',
        '',
        'def two():',
        '  ' + line('c1', 2),
        '  ' + line('c2', 4),
      ),
    )
    s.run('rm b.ts')
    s.person('d/e.ts', lines(line('c1', 3), line('c2', 5)))
    // context matched twice
    add(
      'c3',
      '*** Update File: a.ts',
      '@@ def one():',
      '   ' + line('c1', 1),
      '@@',
      '-  return x',
      '+  ' + line('c3', 6),
    )
    s.person(
      'a.ts',
      lines(
        'def one():',
        '  ' + line('c1', 1),
        '  ' + line('c3', 6),
        '',
        'def two():',
        '  ' + line('c1', 2),
        '  ' + line('c2', 4),
      ),
    )
    // twice: found by the header only
    add('c4', '*** Add File: t.ts', '+class A', '+  break', '+class B', '+  break', '+' + line('c4', 1))
    add('c5', '*** Update File: t.ts', '@@ class B', '-  break', '+  ' + line('c5', 2))
    s.person('t.ts', lines('class A', '  break', 'class B', '  ' + line('c5', 2), line('c4', 1)))
    return { 'a.ts': 'c1 c1 c3 c1 c1 c1 c2', 'd/e.ts': 'c1 c2', 't.ts': 'c4 c4 c4 c5 c4' }
  },
  background(s) {
    const a = s.session('A')
    a.write('a1', 'a.ts', lines(line('a1', 1), line('a1', 2), line('a1', 3)))
    a.bash('a2', `sleep 0.1; sed -i 's/call_2(22) \\/\\/ @a1/call_2(22) \\/\\/ @a2/' a.ts`, { run_in_background: true })
    a.edit('a3', 'a.ts', line('a1', 3), line('a3', 3))
    return { 'a.ts': 'a1 ? a3' }
  },
}
