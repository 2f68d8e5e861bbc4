// The map of the world as the picture of the jigsaw: every piece has land or the coloured lines of the graticule on it.
import { decode } from './geometry.js';

const colours = ['#77aadd', '#eedd88', '#ffaabb', '#aaaa00'];
const width = 2000;

// A canvas without the far south, which would be half a row of ice.
export function paintWorld(map) {
    const [top, bottom] = [0.02 * map.height, 0.87 * map.height];
    const canvas = new OffscreenCanvas(width, Math.round((width * (bottom - top)) / map.width));
    const context = canvas.getContext('2d');
    const scale = width / map.width;
    const water = context.createLinearGradient(0, 0, width, canvas.height);
    for (const [place, colour] of [[0, '#bcd9dd'], [0.35, '#d5e7e2'], [0.7, '#b5d2da'], [1, '#d9e6d2']]) water.addColorStop(place, colour);
    context.fillStyle = water;
    context.fillRect(0, 0, width, canvas.height);
    context.scale(scale, scale);
    context.translate(0, -top);
    const lines = ['#2f7f93', '#a63a1e', '#1d3a2e', '#b97a14'];
    context.lineWidth = 1.6 / scale;
    map.graticule?.forEach((line, index) => {
        context.strokeStyle = lines[index % lines.length];
        context.stroke(new Path2D(path(decode(line))));
    });
    context.lineJoin = 'round';
    for (const { path: shape, colour } of map.items) {
        const area = new Path2D(shape);
        context.fillStyle = colours[colour];
        context.fill(area, 'evenodd');
        context.strokeStyle = '#333';
        context.lineWidth = 1.1 / scale;
        context.stroke(area);
    }
    context.setLineDash([5 / scale, 4 / scale]);
    context.strokeStyle = '#2a120c';
    for (const { path: line } of map.lines) context.stroke(new Path2D(line));
    return canvas;
}

function path(points) {
    let text = `M${points[0]} ${points[1]}`;
    for (let at = 2; at < points.length; at += 2) text += `L${points[at]} ${points[at + 1]}`;
    return text;
}
