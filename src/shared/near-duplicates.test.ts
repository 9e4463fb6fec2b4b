import { expect, test } from 'vitest'
import { foldNearDuplicates } from './near-duplicates.ts'

const folded = (...texts: readonly string[]) =>
  foldNearDuplicates(texts.map((text) => ({ text }))).map(({ item, same }) => [item.text, same.length])

/** A text, a near-copy of it (one word or sign more), and the same text denied. */
const LANGUAGES: Readonly<Record<string, readonly [text: string, copy: string, denied: string]>> = {
  English: [
    'We keep the write-ahead log small by a checkpoint after every large import of transcripts.',
    'We keep the write-ahead log small by a checkpoint after each large import of transcripts!',
    'We do not keep the write-ahead log small by a checkpoint after every large import of transcripts.',
  ],
  German: [
    'Wir halten das Protokoll der Datenbank klein, indem wir es nach jedem großen Import in die Datei schreiben.',
    'Wir halten das Protokoll der Datenbank klein, indem wir es nach jedem grossen Import in die Datei schreiben!',
    'Wir halten das Protokoll der Datenbank nicht klein, indem wir es nach jedem großen Import in die Datei schreiben.',
  ],
  Chinese: [
    '我们在每次大量导入之后写入检查点，这样可以让预写日志保持很小，并且查询不会变慢。',
    '我们在每次大量导入之后都写入检查点，这样可以让预写日志保持很小，并且查询不会变慢！',
    '我们在每次大量导入之后不写入检查点，这样可以让预写日志保持很小，并且查询不会变慢。',
  ],
  Japanese: [
    '大きなインポートのあとにはチェックポイントを書き込み、ログを小さく保つようにしています。',
    '大きなインポートのあとにもチェックポイントを書き込み、ログを小さく保つようにしています！',
    '大きなインポートのあとにはチェックポイントを書き込まない、ログを小さく保つようにしています。',
  ],
  Thai: [
    'หลังนำเข้าข้อมูลขนาดใหญ่ทุกครั้งเราเขียนจุดตรวจสอบเพื่อให้บันทึกมีขนาดเล็กอยู่เสมอ',
    'หลังนำเข้าข้อมูลขนาดใหญ่ทุกครั้งเราเขียนจุดตรวจสอบเพื่อให้บันทึกมีขนาดเล็กอยู่เสมอๆ',
    'หลังนำเข้าข้อมูลขนาดใหญ่ทุกครั้งเราไม่เขียนจุดตรวจสอบเพื่อให้บันทึกมีขนาดเล็กอยู่เสมอ',
  ],
  Russian: [
    'Мы держим журнал базы маленьким, потому что пишем контрольную точку после каждого большого импорта данных.',
    'Мы держим журнал базы маленьким, потому что пишем контрольную точку после любого большого импорта данных!',
    'Мы не держим журнал базы маленьким, потому что пишем контрольную точку после каждого большого импорта данных.',
  ],
  Arabic: [
    'نحافظ على سجل قاعدة البيانات صغيرا لأننا نكتب نقطة تحقق بعد كل عملية استيراد كبيرة للملفات القديمة',
    'نحافظ على سجل قاعدة البيانات صغيرا لأننا نكتب نقطة تحقق بعد أي عملية استيراد كبيرة للملفات القديمة!',
    'لا نحافظ على سجل قاعدة البيانات صغيرا لأننا نكتب نقطة تحقق بعد كل عملية استيراد كبيرة للملفات القديمة',
  ],
  Hindi: [
    'हम हर बड़े आयात के बाद एक जाँच बिंदु लिखते हैं ताकि डेटाबेस का लॉग हमेशा छोटा बना रहे',
    'हम हर बड़े आयात के बाद एक जाँच बिंदु लिखते हैं ताकि डेटाबेस का लॉग सदा छोटा बना रहे!',
    'हम हर बड़े आयात के बाद एक जाँच बिंदु नहीं लिखते हैं ताकि डेटाबेस का लॉग हमेशा छोटा बना रहे',
  ],
  Korean: [
    '우리는 큰 가져오기가 끝날 때마다 체크포인트를 기록해서 데이터베이스의 로그를 언제나 작게 유지하도록 한다',
    '우리는 큰 가져오기가 끝날 때마다 체크포인트를 기록해서 데이터베이스의 로그를 항상 작게 유지하도록 한다!',
    '우리는 큰 가져오기가 끝날 때마다 체크포인트를 안 기록해서 데이터베이스의 로그를 언제나 작게 유지하도록 한다',
  ],
}

test.each(Object.entries(LANGUAGES))('in %s, a near-copy folds, and its denial does not', (_, [text, copy, denied]) => {
  expect(folded(text, copy, denied)).toEqual([
    [text, 1],
    [denied, 0],
  ])
})

test('other texts of one subject stay apart', () => {
  const texts = [
    '部署之前请先运行全部测试，然后更新版本号，最后再通知值班的同事检查监控。',
    '回滚之前请先备份数据库，然后关闭定时任务，最后再通知值班的同事检查日志。',
    'デプロイの前にテストをすべて実行し、版番号を更新してから当番に知らせます。',
    'ロールバックの前にデータベースを保存し、定期処理を止めてから当番に知らせます。',
  ]
  expect(folded(...texts)).toEqual(texts.map((text) => [text, 0]))
})

test('a number that differs keeps texts apart', () => {
  const ofPort = (port: number) =>
    `服务在端口 ${port} 上监听请求，日志写到数据目录，重启之后不需要再次登录就能继续使用。`
  expect(folded(ofPort(7413), ofPort(7000))).toHaveLength(2)
})
