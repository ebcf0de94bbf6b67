# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Draws bench/curve's table: gnuplot -e "table='F'; picture='F.svg'; text='F.txt'".
set datafile separator ','
set datafile missing ''
set logscale x
set xrange [0.001:50]
set yrange [0:105]
set xlabel 'loss of packets, %'
set ylabel 'goodput, Mbit/s'
set title "100 Mbit/s, 100 ms, one flow: " . what
set key at graph 0.60,0.74
set grid ytics lc rgb '#d0d0d0'
# payload of a full packet on the link, and what loss leaves of it
ideal(p) = 100 * 1448.0 / 1514 * (1 - p / 100)
count = words(names)
# Okabe and Ito's colours, which everybody can tell apart
array colour[7] = ['#e69f00', '#d55e00', '#cc79a7', '#0072b2', '#009e73', '#56b4e9', '#000000']

set terminal svg size 820,460 font 'sans,13' background rgb 'white'
set output picture
plot ideal(x) title 'payload of the link x (1 - loss)' lc rgb '#909090' dt 2, \
  for [i = 1:count] table using 1:(column(3 * i - 1)) with linespoints pt 7 ps 0.5 lw 2 \
    lc rgb colour[i] title word(names, i)

set terminal dumb size 100,30
set output text
set key inside bottom left
unset grid
plot for [i = 1:count] table using 1:(column(3 * i - 1)) with lines title word(names, i)
