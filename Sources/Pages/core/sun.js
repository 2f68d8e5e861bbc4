// The height of the sun, for the page's scheme: good to about a degree, without tables.
// Formula: Astronomical Almanac, "low precision formulas for the Sun" (0.01 degrees from 1950 to 2050).

const radians = Math.PI / 180;

// Degrees above the horizon at an instant (milliseconds since 1970) and a place in degrees.
export function sunElevation(instant, latitude, longitude) {
    const days = instant / 86_400_000 - 10957.5;
    const meanLongitude = 280.46 + 0.9856474 * days;
    const anomaly = (357.528 + 0.9856003 * days) * radians;
    const ecliptic = (meanLongitude + 1.915 * Math.sin(anomaly) + 0.02 * Math.sin(2 * anomaly)) * radians;
    const obliquity = (23.439 - 0.0000004 * days) * radians;
    const declination = Math.asin(Math.sin(obliquity) * Math.sin(ecliptic));
    const ascension = Math.atan2(Math.cos(obliquity) * Math.sin(ecliptic), Math.cos(ecliptic));
    const sidereal = (280.46061837 + 360.98564736629 * days + longitude) * radians;
    const hourAngle = sidereal - ascension;
    const phi = latitude * radians;
    return Math.asin(Math.sin(phi) * Math.sin(declination)
        + Math.cos(phi) * Math.cos(declination) * Math.cos(hourAngle)) / radians;
}

// Day until the sun is 3 degrees below the horizon: about when lamps are lit.
export const scheme = (elevation) => (elevation > -3 ? 'day' : 'night');
