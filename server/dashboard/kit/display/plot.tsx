import { useEffect, useRef, useState } from 'preact/hooks';
import styles from './plot.module.css';

export interface Series {
  name: string;
  /** One value for each label. */
  values: readonly number[];
}

interface PlotProps {
  title: string;
  kind: 'bars' | 'line';
  /** The names of the places along the bottom, such as days. */
  labels: readonly string[];
  /** Bars of several series are stacked. */
  series: readonly Series[];
  format?: (value: number) => string;
}

const HEIGHT = 180;
const TOP = 8;
const BOTTOM = 22;
const MIN_LABEL_WIDTH = 72;
/** Width before the plot is measured. */
const FIRST_WIDTH = 640;

/** A plot of numbers, with the same numbers in a table. */
export function Plot({ title, kind, labels, series, format = String }: PlotProps) {
  const frame = useRef<HTMLElement>(null);
  const width = useWidth(frame);
  const max = Math.max(1, ...labels.map((_, at) => total(series, at, kind)));
  return (
    <figure ref={frame} class={styles.plot}>
      <svg role="img" aria-label={`${title}. The table below has the numbers.`} viewBox={`0 0 ${width} ${HEIGHT}`}>
        <text class={styles.axis} x={0} y={TOP + 4}>
          {format(max)}
        </text>
        <line class={styles.base} x1={0} x2={width} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} />
        {kind === 'bars' ? (
          <Bars width={width} max={max} labels={labels} series={series} />
        ) : (
          <Lines width={width} max={max} labels={labels} series={series} />
        )}
        <Labels width={width} labels={labels} />
      </svg>
      {series.length > 1 && (
        <ul class={styles.legend}>
          {series.map(({ name }, at) => (
            <li key={name} class={colour(at)}>
              {name}
            </li>
          ))}
        </ul>
      )}
      <details class={styles.numbers}>
        <summary>Numbers</summary>
        <Numbers title={title} labels={labels} series={series} format={format} />
      </details>
    </figure>
  );
}

interface ShapeProps {
  width: number;
  max: number;
  labels: readonly string[];
  series: readonly Series[];
}

function Bars({ width, max, labels, series }: ShapeProps) {
  const step = width / Math.max(1, labels.length);
  const gap = Math.min(4, step / 4);
  return (
    <g>
      {labels.flatMap((label, at) => {
        let base = HEIGHT - BOTTOM;
        return series.map(({ name, values }, index) => {
          const value = values[at] ?? 0;
          const height = scaled(value, max);
          base -= height;
          return (
            <rect
              key={`${label} ${name}`}
              class={colour(index)}
              x={at * step + gap / 2}
              y={base}
              width={Math.max(1, step - gap)}
              height={height}
              rx={Math.min(2, height / 2)}
            >
              <title>{`${label}: ${value} ${name}`}</title>
            </rect>
          );
        });
      })}
    </g>
  );
}

function Lines({ width, max, labels, series }: ShapeProps) {
  const step = width / Math.max(1, labels.length - 1);
  return (
    <g>
      {series.map(({ name, values }, index) => (
        <polyline
          key={name}
          class={`${styles.line} ${colour(index)}`}
          points={labels.map((_, at) => `${at * step},${HEIGHT - BOTTOM - scaled(values[at] ?? 0, max)}`).join(' ')}
        />
      ))}
    </g>
  );
}

/** The first and last label, and as many between them as there is room for. */
function Labels({ width, labels }: Pick<ShapeProps, 'width' | 'labels'>) {
  const every = Math.max(1, Math.ceil(labels.length / Math.max(1, Math.floor(width / MIN_LABEL_WIDTH))));
  const step = width / Math.max(1, labels.length);
  return (
    <g>
      {labels.map((label, at) =>
        at % every === 0 ? (
          <text key={label} class={styles.axis} x={at * step} y={HEIGHT - 6}>
            {label}
          </text>
        ) : null,
      )}
    </g>
  );
}

function Numbers({
  title,
  labels,
  series,
  format,
}: Required<Pick<PlotProps, 'title' | 'labels' | 'series' | 'format'>>) {
  return (
    <section aria-label={title} tabIndex={0} class={styles.scroll}>
      <table>
        <caption class="visually-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, at) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {series.map(({ name, values }) => (
                <td key={name}>{format(values[at] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function useWidth(frame: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(FIRST_WIDTH);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.max(1, entry.contentRect.width)));
    if (frame.current) observer.observe(frame.current);
    return () => observer.disconnect();
  }, [frame]);
  return width;
}

function total(series: readonly Series[], at: number, kind: PlotProps['kind']): number {
  const values = series.map(({ values: own }) => own[at] ?? 0);
  return kind === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
}

function scaled(value: number, max: number): number {
  return (value / max) * (HEIGHT - BOTTOM - TOP);
}

function colour(at: number): string {
  return styles[`series${(at % 6) + 1}`] ?? '';
}
